import { crc32 } from 'node:zlib';
import { PieceCodec } from '../resource/piece-codec.ts';
import { type DocumentPart, openPart } from '../resource/sealed-documents.ts';

/** A part of a body: text, or text with its compressed bytes. */
export type Piece = Buffer | Pick<DocumentPart, 'deflated' | 'bytes' | 'crc'>;

/** A body of which parts are stored in compressed form. */
export interface SealedBody {
  readonly length: number;
  text(): Buffer;
  gzip(): Promise<Buffer>;
}

export const sealedBody = (pieces: readonly Piece[]): SealedBody => ({
  length: pieces.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : piece.bytes), 0),
  text: () => Buffer.concat(pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : openPart(piece)))),
  gzip: () => gzipPieces(pieces),
});

/** No time, no name, an unknown system (RFC 1952). */
const header = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** A final block without bytes. */
const end = Buffer.of(0x03, 0x00);

/** The text of the pieces as one gzip member. Stored compressed bytes are used as they are; other text is compressed as responses are. */
export async function gzipPieces(pieces: readonly Piece[]): Promise<Buffer> {
  const parts: (Buffer | Promise<Buffer>)[] = [];
  let [crc, length] = [0, 0];
  for (const piece of pieces) {
    const isText = Buffer.isBuffer(piece);
    if (isText && piece.length === 0) continue;
    const bytes = isText ? piece.length : piece.bytes;
    crc = combineCrc(crc, isText ? crc32(piece) : piece.crc, bytes);
    length += bytes;
    parts.push(isText ? compressText(piece) : piece.deflated);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return Buffer.concat([header, ...(await Promise.all(parts)), end, trailer]);
}

/** Level 1, as of other responses. */
const codec = new PieceCodec(1);
/** Up to so many bytes, such as the comma between two blocks, are not worth a compressor. */
const storedMaxBytes = 64;

function compressText(text: Buffer): Buffer | Promise<Buffer> {
  if (text.length > storedMaxBytes) return codec.compress(text);
  // A stored block: its length and the complement of that, which begin at a byte boundary as each piece does.
  const head = Buffer.of(0, text.length, 0, ~text.length & 0xff, 0xff);
  return Buffer.concat([head, text]);
}

/**
 * The CRC-32 of two texts one after the other, from the CRC-32 of each and the length of the second. A CRC is the remainder of a polynomial over
 * GF(2), so the first one is multiplied by x to the power of the bits that follow.
 */
export function combineCrc(first: number, second: number, secondBytes: number): number {
  return (multiply(powerOfX(secondBytes), first) ^ second) >>> 0;
}

/** The polynomial of CRC-32, and 1, with the coefficient of x^0 in the highest bit. */
const polynomial = 0xedb88320;
const one = 0x80000000;

function multiply(a: number, b: number): number {
  let [product, power] = [0, b];
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= power;
    power = (power >>> 1) ^ (power & 1 ? polynomial : 0);
  }
  return product;
}

/** x to the power of 8, 16, 32 and so on. */
const squares = [0x00800000];
for (let index = 1; index < 32; index++)
  squares.push(multiply(squares[index - 1] as number, squares[index - 1] as number));

function powerOfX(bytes: number): number {
  let power = one;
  for (let index = 0, left = bytes; left > 0; index++, left = Math.floor(left / 2))
    if (left % 2 === 1) power = multiply(squares[index] as number, power);
  return power;
}
