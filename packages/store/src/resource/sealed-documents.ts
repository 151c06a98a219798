import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

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
/** Level 9 takes 1.3 times the time of 6 for a fiftieth of the bytes. */
const level = 6;
const comma = Buffer.from(',');
const partBytes = 12;
const endBytes = 4;

export function sealDocuments(documents: readonly Buffer[]): SealedDocuments {
  const size = Math.ceil(documents.length / Math.ceil(documents.length / partRowsMax));
  const deflated: Buffer[] = [];
  const ends = Buffer.allocUnsafe(documents.length * endBytes);
  const parts: Buffer[] = [];
  let deflatedEnd = 0;
  for (let first = 0; first < documents.length; first += size) {
    const chosen = documents.slice(first, first + size);
    const text = Buffer.concat(chosen.flatMap((document, index) => (index === 0 ? [document] : [comma, document])));
    let end = -comma.length;
    for (const [index, { length }] of chosen.entries()) {
      end += comma.length + length;
      ends.writeUInt32LE(end, (first + index) * endBytes);
    }
    const piece = deflatePiece(text, level);
    deflatedEnd += piece.length;
    const part = Buffer.allocUnsafe(partBytes);
    part.writeUInt32LE(chosen.length, 0);
    part.writeUInt32LE(deflatedEnd, 4);
    part.writeUInt32LE(crc32(text), 8);
    deflated.push(piece);
    parts.push(part);
  }
  return { deflated: Buffer.concat(deflated), parts: Buffer.concat(parts), ends };
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

/** A full flush: nothing in the piece refers to what precedes it. */
export const deflatePiece = (text: Buffer, ofLevel: number): Buffer =>
  deflateRawSync(text, {
    level: ofLevel,
    finishFlush: constants.Z_FULL_FLUSH,
    chunkSize: Math.max(text.length >> 2, constants.Z_MIN_CHUNK),
  });

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
  const from = index === 0 ? 0 : ends.readUInt32LE((index - 1) * endBytes) + comma.length;
  return [from, ends.readUInt32LE(index * endBytes)];
}
