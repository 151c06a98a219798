import { CommandError } from '../command-error.ts';
import { decompress, detectCodec } from './container/decompress.ts';
import { type PeekedStream, peekStream } from './container/peek.ts';
import { listZipEntries, readZipEntry, type ZipEntry } from './container/zip-entries.ts';
import type { InputSource } from './input-sources.ts';
import { headBytes } from './record/record-reader.ts';

/** A decompressed stream: a file, or one of the files in an archive. */
export interface InputPart {
  readonly name: string;
  readonly stream: PeekedStream;
}

/** Reads a source as its parts, decompressed: gzip and zstd streams, and files in ZIP archives, each of which may be compressed again. */
export async function* readParts(source: InputSource): AsyncGenerator<InputPart> {
  const peeked = await peekStream(source.content, headBytes);
  if (detectCodec(peeked.head) !== 'zip') {
    yield { name: source.name, stream: await expandStream(source.name, peeked) };
    return;
  }
  const { handle, bytes } = source;
  if (handle === null || bytes === null)
    throw new CommandError('a ZIP archive can be imported from a file only, not from standard input');
  const entries: ZipEntry[] = await listZipEntries(source.name, handle, bytes);
  for (const entry of entries) {
    const name = `${source.name}: ${entry.name}`;
    const content = await peekStream(readZipEntry(source.name, handle, entry), headBytes);
    if (detectCodec(content.head) === 'zip')
      throw new CommandError(`${name} is an archive in an archive; extract it first`);
    yield { name, stream: await expandStream(name, content) };
  }
}

async function expandStream(name: string, peeked: PeekedStream): Promise<PeekedStream> {
  const codec = detectCodec(peeked.head);
  return codec === 'gzip' || codec === 'zstd' ? peekStream(decompress(name, codec, peeked.chunks), headBytes) : peeked;
}
