import { TokenFilter, tokenColumns } from '../../resource/token-filter.ts';
import { copyHeader, readTimestamp, readUuid } from '../row/binary-copy.ts';

/** Consecutive rows of a tenant, in the order of pages, and what their values are. */
export interface LogBlock {
  firstMs: number;
  firstId: string;
  lastMs: number;
  lastId: string;
  rows: number;
  earliestOccurredMs: number;
  latestOccurredMs: number;
  tokens: Buffer;
}

/** What `BlockAssembler` reads of each row, in this order. */
export const blockColumns: string = [
  'discovered_at',
  'id',
  'occurred_at',
  ...tokenColumns.map(({ column }) => column),
].join(', ');

/** Rows that say the same again and again would make a block long, and every search that finds one of them slow. */
export const blockRowsMax = 256;

const stampAt = 2 + 4;
const idAt = stampAt + 8 + 4;
const occurrenceAt = idAt + 16 + 4;
const columnsAt = occurrenceAt + 8;

/** Groups rows into blocks, each until its filter is full. */
export class BlockAssembler {
  readonly blocks: LogBlock[] = [];
  /** Rows after the last block. */
  leftover = 0;
  private readonly throughMs: number;
  private open: LogBlock | null = null;
  private filter = new TokenFilter();

  /** @param throughMs no block has a row with a later stamp */
  constructor(throughMs: number) {
    this.throughMs = throughMs;
  }

  /** Takes the rows of a whole COPY in the binary format; returns their number. */
  take(bytes: Buffer): number {
    let at = copyHeader.length;
    let count = 0;
    while (bytes.readInt16BE(at) >= 0) {
      at = this.readRow(bytes, at);
      count += 1;
    }
    return count;
  }

  /** No further row belongs to the open block. */
  endBlock(): void {
    if (this.open) this.close(this.open);
  }

  /** Returns the end of the row. */
  private readRow(row: Buffer, start: number): number {
    const stampMs = readTimestamp(row, start + stampAt);
    this.leftover += 1;
    // Rows are in order, so that all further ones are later too.
    const isSettled = stampMs <= this.throughMs;
    if (isSettled) this.extend(row, start, stampMs);
    let at = start + columnsAt;
    for (const column of tokenColumns) {
      const length = row.readInt32BE(at);
      at += 4;
      if (length < 0) continue;
      if (isSettled) this.filter.add(column, row, at, at + length);
      at += length;
    }
    if (this.open && (this.filter.isFull() || this.open.rows === blockRowsMax)) this.close(this.open);
    return at;
  }

  private extend(row: Buffer, start: number, stampMs: number): void {
    const occurredMs = readTimestamp(row, start + occurrenceAt);
    const id = readUuid(row, start + idAt);
    const { open } = this;
    if (!open) {
      this.open = {
        firstMs: stampMs,
        firstId: id,
        lastMs: stampMs,
        lastId: id,
        rows: 1,
        earliestOccurredMs: occurredMs,
        latestOccurredMs: occurredMs,
        tokens: this.filter.bytes,
      };
      return;
    }
    open.lastMs = stampMs;
    open.lastId = id;
    open.rows += 1;
    open.earliestOccurredMs = Math.min(open.earliestOccurredMs, occurredMs);
    open.latestOccurredMs = Math.max(open.latestOccurredMs, occurredMs);
  }

  private close(block: LogBlock): void {
    this.blocks.push(block);
    this.leftover = 0;
    this.open = null;
    this.filter = new TokenFilter();
  }
}
