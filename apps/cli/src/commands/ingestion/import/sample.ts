import { Readable } from 'node:stream';
import { recognizeFormat } from '@tenantscope/intake';
import { detectCodec } from '../../../input/container/decompress.ts';
import { peekStream } from '../../../input/container/peek.ts';
import { readParts } from '../../../input/input-parts.ts';
import type { InputSource } from '../../../input/input-sources.ts';
import { isBlank } from '../../../input/record/line-reader.ts';
import { headBytes, type InputKind, readRecords } from '../../../input/record/record-reader.ts';

/** The first records of the first source, and the source with all of its bytes. */
export interface Sample {
  readonly records: readonly Buffer[];
  readonly source: InputSource;
  /** Whether the whole source has no record. */
  readonly isEmpty: boolean;
  /** Why no record could be read, where that is certain; null otherwise. */
  readonly problem: unknown;
}

const sampleSize = 20;

/** Reads the first records of a source without taking them from it. */
async function sampleSource(source: InputSource, kind: InputKind | null): Promise<Sample> {
  const peeked = await peekStream(source.content, headBytes);
  const codec = detectCodec(peeked.head);
  const records: Buffer[] = [];
  let problem: unknown = null;
  try {
    const head = { ...source, content: Readable.from([peeked.head]) };
    for await (const { name, stream } of readParts(head)) {
      for await (const { bytes } of readRecords(name, stream, kind).records) {
        if (bytes !== null && !isBlank(bytes)) records.push(bytes);
        if (records.length === sampleSize) break;
      }
      if (records.length === sampleSize) break;
    }
  } catch (error) {
    // The end of the head is rarely that of a compressed stream, and then no error of the source.
    if (records.length === 0 && (peeked.isWhole || codec === null || codec === 'zip')) problem = error;
  }
  // The last record may be cut off by the end of the head.
  return {
    records: peeked.isWhole ? records : records.slice(0, Math.max(1, records.length - 1)),
    source: { ...source, content: peeked.chunks },
    isEmpty: records.length === 0 && peeked.isWhole && problem === null,
    problem,
  };
}

/** The sample of the first source that is not empty, else of the last one, and all sources with all of their bytes. */
export async function sampleSources(
  sources: readonly InputSource[],
  kind: InputKind | null,
): Promise<Sample & { readonly sources: readonly InputSource[] }> {
  const [first, ...others] = sources;
  if (first === undefined) throw new TypeError('there is no source');
  const sample = await sampleSource(first, kind);
  if (!sample.isEmpty || others.length === 0) return { ...sample, sources: [sample.source, ...others] };
  const next = await sampleSources(others, kind);
  return { ...next, sources: [sample.source, ...next.sources] };
}

/** The format that most of the records look like; null where none of them is recognized. */
export function recognizeSample(records: readonly Buffer[]): string | null {
  const votes = new Map<string, number>();
  for (const record of records) {
    const format = recognizeFormat(record);
    if (format !== null) votes.set(format, (votes.get(format) ?? 0) + 1);
  }
  return [...votes].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** Names of `azure.monitor` for parts of it, which read the same records. */
const azureMonitorNames = /^(entra\.(signin|audit|risk|provisioning)|graph\.activity|azure\.activity)\.azuremonitor$/;

/** Whether records that look like one format are read by another. */
export function isSameFormat(given: string, recognized: string): boolean {
  const plain = given.replace(/^(alert|entity)\//, '');
  return plain === recognized || (recognized === 'azure.monitor' && azureMonitorNames.test(plain));
}
