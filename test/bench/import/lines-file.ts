import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { createRandom, demoHistory, demoTenants } from '@tenantscope/demo';
import { createTemplates, renderRecord } from '../large/record-templates.ts';

/** The same lines, plain and compressed. */
export interface LinesFile {
  readonly plain: string;
  readonly gzip: string;
  readonly bytes: number;
}

export const linesFormat = 'okta.system-log';

const population = { users: 5_000, files: 1, addresses: 20_000 };
const linesPerChunk = 500;

/** Writes Okta events of a demo company's kinds, one JSON document per line, all different. */
export async function writeLinesFile(directory: string, lines: number): Promise<LinesFile> {
  const [plain, gzip] = [join(directory, 'okta.ndjson'), join(directory, 'okta.ndjson.gz')];
  let bytes = 0;
  async function* chunks() {
    for (const chunk of renderLines(lines)) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  await pipeline(Readable.from(chunks()), createWriteStream(plain));
  await pipeline(createReadStream(plain), createGzip({ level: 6 }), createWriteStream(gzip));
  return { plain, gzip, bytes };
}

/** In pieces of whole lines. */
export function* renderLines(lines: number): Generator<Buffer> {
  const [tenant] = demoTenants;
  if (tenant === undefined) throw new Error('there is no demo company');
  const endMs = Date.now();
  const records = [...demoHistory({ tenant, endMs, days: 1, count: 4_000 })].filter(
    ({ format }) => format === linesFormat,
  );
  const templates = createTemplates(tenant.company, records);
  const random = createRandom('bench/import');
  for (let line = 0; line < lines; ) {
    let chunk = '';
    for (const end = Math.min(lines, line + linesPerChunk); line < end; line++)
      chunk += `${renderRecord(random.pick(templates), population, random, endMs - (lines - line) * 100)}\n`;
    yield Buffer.from(chunk);
  }
}
