/**
 * A Bloom filter of the values that the rows of a block have in the columns that filters compare. 16,384 bits, of which a value sets fourteen. Half
 * of the bits are set in a full one, by 810 distinct values: then one of 16,000 values that no row has looks as if a row had it.
 *
 * All filters have the same number of bits, so that a statement tests constant positions. Kinds and hash are stored data: a change of either needs
 * new blocks.
 */
const tokenFilterBits = 16_384;
const hashesPerToken = 14;

/** How a column is stored in the binary format of COPY, and which of its values are one token. */
type TokenForm = 'text' | 'textIgnoringCase' | 'flag' | 'texts';

interface TokenColumn {
  readonly column: string;
  /** Columns of one kind share their tokens. */
  readonly kind: number;
  readonly form: TokenForm;
}

/** The columns of models.audit_log that filters compare. The filter `user` ignores the case of both columns of actors. */
export const tokenColumns: readonly TokenColumn[] = [
  { column: 'severity', kind: 1, form: 'text' },
  { column: 'action', kind: 2, form: 'text' },
  { column: 'actor_id', kind: 3, form: 'textIgnoringCase' },
  { column: 'actor_user_id', kind: 3, form: 'textIgnoringCase' },
  { column: 'actor_type', kind: 4, form: 'text' },
  { column: 'actor_ip', kind: 5, form: 'text' },
  { column: 'resource_id', kind: 6, form: 'text' },
  { column: 'resource_type', kind: 7, form: 'text' },
  { column: 'workload', kind: 8, form: 'text' },
  { column: 'source_type', kind: 9, form: 'text' },
  { column: 'client_app', kind: 10, form: 'text' },
  { column: 'device_id', kind: 11, form: 'text' },
  { column: 'is_managed_device', kind: 12, form: 'flag' },
  { column: 'application_id', kind: 13, form: 'text' },
  { column: 'external_event_id', kind: 14, form: 'text' },
  { column: 'outcome', kind: 15, form: 'text' },
  { column: 'error_code', kind: 16, form: 'text' },
  { column: 'session_id', kind: 17, form: 'text' },
  { column: 'correlation_id', kind: 18, form: 'text' },
  { column: 'target_ids', kind: 19, form: 'texts' },
];

/** The filter of one block while it is built. */
export class TokenFilter {
  readonly bytes: Buffer = Buffer.alloc(tokenFilterBits / 8);
  private bitsSet = 0;

  isFull(): boolean {
    return this.bitsSet >= tokenFilterBits / 2;
  }

  /** Adds the value, not null, that a column has in the binary format of COPY. */
  add({ kind, form }: TokenColumn, row: Buffer, from: number, to: number): void {
    if (form !== 'texts') {
      this.addToken(kind, row, from, to, form === 'textIgnoringCase');
      return;
    }
    // Dimensions, nulls, type; of one dimension also its length and lower bound, then each element after its length.
    let at = from + 20;
    while (at < to) {
      const length = row.readInt32BE(at);
      at += 4;
      if (length < 0) continue;
      this.addToken(kind, row, at, at + length, false);
      at += length;
    }
  }

  private addToken(kind: number, row: Buffer, from: number, to: number, ignoresCase: boolean): void {
    const { bytes } = this;
    hashToken(kind, row, from, to, ignoresCase);
    let position = hashed.start;
    for (let index = 0; index < hashesPerToken; index++) {
      const bit = position & (tokenFilterBits - 1);
      const [byte, mask] = [bit >> 3, 1 << (bit & 7)];
      const before = bytes[byte] as number;
      if ((before & mask) === 0) {
        bytes[byte] = before | mask;
        this.bitsSet += 1;
      }
      position = (position + hashed.step) | 0;
    }
  }
}

/** The bits, numbered as by get_bit, that are set in the filter of every block that has a row with this value in this column. */
export function listTokenBits(column: string, value: string | boolean): number[] {
  const found = tokenColumns.find((one) => one.column === column);
  if (!found) throw new TypeError(`${column} has no tokens`);
  const bytes = typeof value === 'boolean' ? Buffer.of(value ? 1 : 0) : Buffer.from(value, 'utf8');
  hashToken(found.kind, bytes, 0, bytes.length, found.form === 'textIgnoringCase');
  const bits = new Set<number>();
  for (let index = 0; index < hashesPerToken; index++)
    bits.add((hashed.start + Math.imul(index, hashed.step)) & (tokenFilterBits - 1));
  return [...bits];
}

/** The last result of `hashToken`: an object for each token took as long as the hash. */
const hashed = { start: 0, step: 1 };

/** Two multiplicative hashes, mixed (cyrb53). The step is odd, so that the positions of one token differ. */
function hashToken(kind: number, bytes: Uint8Array, from: number, to: number, ignoresCase: boolean): void {
  let first = Math.imul(0xdeadbeef ^ kind, 0x9e3779b1);
  let second = Math.imul(0x41c6ce57 ^ kind, 0x5f356495);
  for (let at = from; at < to; at++) {
    let byte = bytes[at] as number;
    if (ignoresCase && byte >= upperA && byte <= upperZ) byte |= caseBit;
    first = Math.imul(first ^ byte, 0x9e3779b1);
    second = Math.imul(second ^ byte, 0x5f356495);
  }
  first = Math.imul(first ^ (first >>> 16), 0x85ebca6b) ^ Math.imul(second ^ (second >>> 13), 0xc2b2ae35);
  second = Math.imul(second ^ (second >>> 16), 0x85ebca6b) ^ Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  hashed.start = first;
  hashed.step = second | 1;
}

const upperA = 0x41;
const upperZ = 0x5a;
const caseBit = 0x20;
