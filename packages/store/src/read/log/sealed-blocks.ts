import { countDocuments, type DocumentPart, readParts, type SealedDocuments } from '../../resource/sealed-documents.ts';

/** What a page takes of a part of a sealed block. */
export interface SealedPart extends DocumentPart {
  readonly rows: number;
  /** How many members its events have beyond their key. */
  readonly members: number;
  /** The rows of the page, from 0, ascending; null: all. */
  readonly ordinals: readonly number[] | null;
}

/** The parts of a block that have rows of the page, in their order. @param ordinals the rows of the page, from 0, ascending; null: all */
export function splitBlock(
  documents: SealedDocuments,
  { members, ordinals }: Pick<SealedPart, 'members' | 'ordinals'>,
): SealedPart[] {
  const parts: SealedPart[] = [];
  let first = 0;
  let taken = 0;
  for (const part of readParts(documents)) {
    const rows = countDocuments(part);
    const from = taken;
    while (ordinals && taken < ordinals.length && (ordinals[taken] as number) < first + rows) taken += 1;
    const isWhole = ordinals === null || taken - from === rows;
    const own = isWhole ? null : ordinals.slice(from, taken).map((ordinal) => ordinal - first);
    if (own === null || own.length > 0) parts.push({ ...part, rows, members, ordinals: own });
    first += rows;
  }
  return parts;
}

/** Columns that `readSealedBlocks` takes from the binary format of COPY, in this order; documents are null where no row is of the page. */
export const blockColumns = (ordinals: string, select: (column: string) => string): string =>
  ['s.member_count::integer', ordinals, ...['s.documents', 's.document_parts', 's.document_ends'].map(select)].join(
    ', ',
  );

const headerBytes = 19;
const arrayHeadBytes = 20;

/** How many blocks a whole COPY has, and of each of them with rows of the page its parts with such rows. */
export function readSealedBlocks(bytes: Buffer): { count: number; blocks: SealedPart[][] } {
  const blocks: SealedPart[][] = [];
  let count = 0;
  let at = headerBytes;
  const next = (): Buffer | null => {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (bytes.readInt16BE(at) >= 0) {
    at += 2;
    count += 1;
    const members = next();
    if (members === null) throw new TypeError('a sealed block has no number of members');
    const ordinals = next();
    const [deflated, parts, ends] = [next(), next(), next()];
    if (deflated === null || parts === null || ends === null) continue;
    const ofPage = { members: members.readInt32BE(), ordinals: ordinals && readOrdinals(ordinals) };
    blocks.push(splitBlock({ deflated, parts, ends }, ofPage));
  }
  return { count, blocks };
}

/** Of an array of integers, which count rows from 1. */
function readOrdinals(array: Buffer): number[] {
  const ordinals: number[] = [];
  for (let at = arrayHeadBytes; at < array.length; at += 8) ordinals.push(array.readInt32BE(at + 4) - 1);
  return ordinals;
}
