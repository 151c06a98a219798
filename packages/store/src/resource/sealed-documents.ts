import { constants, crc32, inflateRawSync } from 'node:zlib';
import type { PieceCodec } from './piece-codec.ts';

/** Documents joined by commas. */
export interface JoinedDocuments {
  readonly text: Buffer;
  /** Where each document ends in the text. */
  readonly ends: readonly number[];
}

/** The documents of a sealed block, in parts. */
export interface SealedDocuments {
  /** The compressed texts of the parts, one after the other. */
  readonly deflated: Buffer;
  /** Of each part its number of documents, where its compressed text ends, and the CRC-32 of its text, as little-endian 32-bit integers. */
  readonly parts: Buffer;
  /** Where each document ends in the text of its part, as such integers. */
  readonly ends: Buffer;
}

/**
 * Documents joined by commas. `deflated` ends at a byte boundary and has no final block (RFC 1951), so that a gzip response is put together from several of
 * them: see `gzip-pieces.ts`.
 */
export interface DocumentPart {
  readonly deflated: Buffer;
  /** Of the text. */
  readonly bytes: number;
  readonly crc: number;
  readonly ends: Buffer;
}

/**
 * A page compresses again what it takes of the parts at its ends. Of rows of 1,830 bytes, parts of 64 compress to 304 bytes a row, of 128 to 293, whole
 * blocks to 281.
 */
const partRowsMax = 64;
/** Of these documents level 5 takes 12.2 µs each and 323 bytes, 6 takes 14.2 and 313, 9 takes 18.0 and 308. */
export const sealedLevel = 6;
const commaBytes = 1;
const partBytes = 12;
const endBytes = 4;

export async function sealDocuments({ text, ends }: JoinedDocuments, codec: PieceCodec): Promise<SealedDocuments> {
  const rows = Math.ceil(ends.length / Math.ceil(ends.length / partRowsMax));
  const relativeEnds = Buffer.allocUnsafe(ends.length * endBytes);
  const chosen: { text: Buffer; rows: number }[] = [];
  for (let first = 0; first < ends.length; first += rows) {
    const after = Math.min(first + rows, ends.length);
    const start = startOf(ends, first);
    for (let row = first; row < after; row++) relativeEnds.writeUInt32LE((ends[row] as number) - start, row * endBytes);
    chosen.push({ text: text.subarray(start, ends[after - 1]), rows: after - first });
  }
  const deflated = await Promise.all(chosen.map((part) => codec.compress(part.text)));
  const parts = Buffer.allocUnsafe(chosen.length * partBytes);
  let end = 0;
  for (const [index, part] of chosen.entries()) {
    end += deflated[index]?.length ?? 0;
    parts.writeUInt32LE(part.rows, index * partBytes);
    parts.writeUInt32LE(end, index * partBytes + 4);
    parts.writeUInt32LE(crc32(part.text), index * partBytes + 8);
  }
  return { deflated: Buffer.concat(deflated, end), parts, ends: relativeEnds };
}

const startOf = (ends: readonly number[], row: number): number =>
  row === 0 ? 0 : (ends[row - 1] as number) + commaBytes;

/** Whether sealed documents, decompressed, are these. If they cannot be decompressed the codec is not to be used again. */
export async function areSealedDocuments(
  sealed: SealedDocuments,
  { text, ends }: JoinedDocuments,
  codec: PieceCodec,
): Promise<boolean> {
  const parts = readParts(sealed);
  const opened = await Promise.all(parts.map((part) => codec.decompress(part.deflated))).catch(() => null);
  if (opened === null) return false;
  let row = 0;
  for (const [index, part] of parts.entries()) {
    const start = startOf(ends, row);
    const rows = countDocuments(part);
    for (let number = 0; number < rows; number++)
      if (part.ends.readUInt32LE(number * endBytes) + start !== ends[row + number]) return false;
    const own = opened[index] as Buffer;
    if (crc32(own) !== part.crc || !own.equals(text.subarray(start, ends[row + rows - 1]))) return false;
    row += rows;
  }
  return row === ends.length;
}

export function readParts({ deflated, parts, ends }: SealedDocuments): DocumentPart[] {
  const found: DocumentPart[] = [];
  let [row, from] = [0, 0];
  for (let at = 0; at < parts.length; at += partBytes) {
    const to = parts.readUInt32LE(at + 4);
    const nextRow = row + parts.readUInt32LE(at);
    found.push({
      deflated: deflated.subarray(from, to),
      bytes: ends.readUInt32LE((nextRow - 1) * endBytes),
      crc: parts.readUInt32LE(at + 8),
      ends: ends.subarray(row * endBytes, nextRow * endBytes),
    });
    [row, from] = [nextRow, to];
  }
  return found;
}

export const countDocuments = ({ ends }: Pick<DocumentPart, 'ends'>): number => ends.length / endBytes;

/** Throws when the bytes are not those of the text. */
export function openPart({ deflated, bytes, crc }: Pick<DocumentPart, 'deflated' | 'bytes' | 'crc'>): Buffer {
  const text = inflateRawSync(deflated, {
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: Math.max(bytes, constants.Z_MIN_CHUNK),
  });
  if (text.length !== bytes || crc32(text) !== crc) throw new Error('sealed documents are damaged');
  return text;
}

/** Where a document lies in the text of its part. */
export function documentRange(
  { ends }: Pick<DocumentPart, 'ends'>,
  index: number,
): readonly [from: number, to: number] {
  const from = index === 0 ? 0 : ends.readUInt32LE((index - 1) * endBytes) + commaBytes;
  return [from, ends.readUInt32LE(index * endBytes)];
}
