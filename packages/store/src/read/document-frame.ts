import {
  DocumentWriter,
  documentIdAt,
  documentStampAt,
  readLinesLength,
  rowHeadBytes,
  stampBytes,
} from './log-document.ts';
import type { RowPosition } from './record-page.ts';

export interface LogsPage {
  count: number;
  /** Whether rows of the window follow after the last one. */
  hasMore: boolean;
  last: RowPosition | null;
  /** The documents of the rows, which share the memory of the body. */
  documents(): Iterable<Buffer>;
  /** The response body: `{"data":[…]` and then `tail`. */
  close(tail: string): Buffer;
}

const head = Buffer.from('{"data":[');
const copyHeaderBytes = 19;
/** Above the mean of 1,900: the body of most pages is allocated once. */
const typicalDocumentBytes = 2_048;
const comma = 0x2c;
const noBytes = Buffer.alloc(0);

/** Takes the binary COPY stream (header, then rows) and writes the documents of its rows, joined by commas. */
export class DocumentFrame {
  private readonly writer: DocumentWriter;
  private readonly limit: number;
  private body: Buffer;
  private end = head.length;
  private count = 0;
  private rows = 0;
  private readonly starts: number[] = [];
  private isHeaderRead = false;
  /** The beginning of what the last piece ended in. */
  private partial: Buffer = noBytes;

  constructor(tenantId: string, limit: number) {
    this.writer = new DocumentWriter(tenantId);
    this.limit = limit;
    this.body = Buffer.allocUnsafe(head.length + typicalDocumentBytes * (limit + 1) + 1_024);
    head.copy(this.body);
  }

  /** The rows of another statement follow. */
  beginStream(): void {
    this.isHeaderRead = false;
    this.partial = noBytes;
  }

  /** Whether the row after the requested limit was seen, too. */
  isFull(): boolean {
    return this.rows > this.limit;
  }

  isEmpty(): boolean {
    return this.rows === 0;
  }

  /** Of the requested limit. */
  missingRows(): number {
    return this.limit - this.rows;
  }

  take(bytes: Buffer, from: number, to: number): void {
    if (this.partial.length === 0) {
      const read = this.readRows(bytes, from, to);
      if (read < to) this.partial = Buffer.from(bytes.subarray(read, to));
    } else {
      const joined = Buffer.concat([this.partial, bytes.subarray(from, to)]);
      this.partial = joined.subarray(this.readRows(joined, 0, joined.length));
    }
  }

  /** Returns the end of the last complete row. */
  private readRows(bytes: Buffer, from: number, to: number): number {
    let at = from;
    if (!this.isHeaderRead) {
      if (to - at < copyHeaderBytes) return at;
      at += copyHeaderBytes;
      this.isHeaderRead = true;
    }
    while (to - at >= rowHeadBytes) {
      const linesLength = readLinesLength(bytes, at);
      const end = at + rowHeadBytes + linesLength;
      if (end > to) break;
      this.add(bytes, at, linesLength);
      at = end;
    }
    return at;
  }

  /** The row after the requested limit is only counted. */
  private add(bytes: Buffer, start: number, linesLength: number): void {
    this.rows += 1;
    if (this.rows > this.limit) return;
    const needed = this.writer.maxBytes(linesLength) + 1;
    if (this.body.length - this.end < needed) {
      const larger = Buffer.allocUnsafe(this.body.length * 2 + needed);
      this.body.copy(larger, 0, 0, this.end);
      this.body = larger;
    }
    if (this.count > 0) this.body[this.end++] = comma;
    this.starts.push(this.end);
    this.end = this.writer.write(bytes, start, this.body, this.end);
    this.count += 1;
  }

  page(): LogsPage {
    const { count, starts } = this;
    const lastStart = starts.at(-1) ?? 0;
    const text = (from: number, length: number) =>
      this.body.toString('latin1', lastStart + from, lastStart + from + length);
    return {
      count,
      hasMore: this.rows > this.limit,
      last: count === 0 ? null : { id: text(documentIdAt, 36), atMs: Date.parse(text(documentStampAt, stampBytes)) },
      documents: () => starts.map((start, row) => this.body.subarray(start, (starts[row + 1] ?? this.end + 1) - 1)),
      close: (tail) => {
        const length = Buffer.byteLength(tail) + 1;
        const body =
          this.body.length - this.end >= length
            ? this.body
            : Buffer.concat([this.body.subarray(0, this.end)], this.end + length);
        const closed = this.end + body.write(`]${tail}`, this.end);
        return body.subarray(0, closed);
      },
    };
  }
}
