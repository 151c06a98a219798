import { documentRange, openPart } from '../../resource/sealed-documents.ts';
import { type Piece, type SealedBody, sealedBody } from '../gzip-pieces.ts';
import type { RowPosition } from '../record-page.ts';
import {
  DocumentWriter,
  documentIdAt,
  documentStampAt,
  readLinesLength,
  rowHeadBytes,
  stampBytes,
} from './log-document.ts';
import type { SealedPart } from './sealed-blocks.ts';

export interface LogsPage {
  count: number;
  /** Whether rows of the window follow after the last one. */
  hasMore: boolean;
  last: RowPosition | null;
  /** The documents of the rows. Those that are not sealed share the memory of the body. */
  documents(): Iterable<Buffer>;
  /** The response body: `{"data":[…]` and then `tail`. */
  close(tail: string): Buffer | SealedBody;
}

const head = Buffer.from('{"data":[');
const copyHeaderBytes = 19;
/** Above the mean of 1,900: the body of most pages is allocated once. */
const typicalDocumentBytes = 2_048;
const smallBodyBytes = 4_096;
const comma = 0x2c;
const noBytes = Buffer.alloc(0);

/** Takes rows in the binary format of COPY and writes their documents, joined by commas. */
export class DocumentFrame {
  private readonly writer: DocumentWriter;
  /** Of rows: the requested one, or where the page ended before it. */
  private limit: number;
  private readonly maxBytes: number;
  private body: Buffer;
  private end = head.length;
  private count = 0;
  private rows = 0;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  /** Sealed parts that are sent as they are stored, and what precedes each of them in the body. */
  private readonly stored: { readonly before: Buffer; readonly documents: number; readonly part: SealedPart }[] = [];
  private storedBytes = 0;
  /** Where the part of the body after the last of them begins. */
  private openAt = 0;
  private isHeaderRead = false;
  /** The beginning of what the last piece ended in. */
  private partial: Buffer = noBytes;

  /** @param maxBytes of the documents together, but for a page of one */
  constructor(tenantId: string, limit: number, maxBytes: number = Number.POSITIVE_INFINITY) {
    this.writer = new DocumentWriter(tenantId);
    this.limit = limit;
    this.maxBytes = maxBytes;
    // A page of stored parts needs no more.
    this.body = Buffer.allocUnsafe(smallBodyBytes);
    head.copy(this.body);
  }

  /** The rows of another statement follow: of a COPY, after its header. */
  beginRows({ hasHeader }: { hasHeader: boolean }): void {
    this.isHeaderRead = !hasHeader;
    this.partial = noBytes;
  }

  /** Whether the row after the limit was seen, too. */
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

  /** The row after the limit is only counted. */
  private add(bytes: Buffer, start: number, linesLength: number): void {
    this.rows += 1;
    const maxBytes = this.writer.maxBytes(linesLength);
    if (this.rows > this.limit || this.endsBefore(maxBytes)) return;
    this.begin(maxBytes, typicalDocumentBytes * (this.limit - this.rows + 1));
    this.complete(this.writer.write(bytes, start, this.body, this.end));
  }

  private fits(bytes: number): boolean {
    return this.end + this.storedBytes + bytes <= this.maxBytes;
  }

  /** Ends the page before a counted row whose document is too long for it. */
  private endsBefore(bytes: number): boolean {
    if (this.count === 0 || this.fits(bytes)) return false;
    this.limit = this.count;
    return true;
  }

  /** Writes the comma after the documents before, and leaves room for so many bytes; allocates as many as are expected to follow, too. */
  private begin(bytes: number, expectedBytes = 0): void {
    const needed = bytes + 1;
    if (this.body.length - this.end < needed) {
      const larger = Buffer.allocUnsafe(Math.max(this.body.length * 2, this.end + expectedBytes) + needed);
      this.body.copy(larger, 0, 0, this.end);
      this.body = larger;
    }
    if (this.count > 0) this.body[this.end++] = comma;
  }

  /** A document was written at the end of the body. */
  private complete(end: number): void {
    this.starts.push(this.end);
    this.ends.push(end);
    this.end = end;
    this.count += 1;
  }

  /** Adds rows of a sealed part: as its stored bytes where the page has all of them in this order and form, else from its text. */
  addSealed(part: SealedPart, ascending: boolean): void {
    const { ordinals, rows, members, bytes } = part;
    const isWhole = ascending && ordinals === null && this.rows + rows <= this.limit;
    if (isWhole && !this.writer.hasMembersAfter(members) && this.fits(bytes)) this.addStored(part);
    else this.addOpened(part, ascending);
  }

  private addOpened(part: SealedPart, ascending: boolean): void {
    const { ordinals, rows, members } = part;
    const numbers = ordinals ?? Array.from({ length: rows }, (_, number) => number);
    const taken = (ascending ? numbers : numbers.toReversed()).slice(0, Math.max(0, this.limit - this.rows));
    this.rows += numbers.length;
    if (taken.length === 0) return;
    const text = openPart(part);
    for (const [index, number] of taken.entries()) {
      const [from, to] = documentRange(part, number);
      const left = taken.length - index;
      const maxBytes = to - from + this.writer.maxBytes(0);
      if (this.endsBefore(maxBytes)) return;
      this.begin(maxBytes, typicalDocumentBytes * left);
      const end = this.end + text.copy(this.body, this.end, from, to);
      this.complete(this.writer.addMembersAfter(members, this.body, end));
    }
  }

  private addStored(part: SealedPart): void {
    this.begin(0);
    const before = this.body.subarray(this.openAt, this.end);
    this.stored.push({ before, documents: this.starts.length, part });
    this.storedBytes += part.bytes;
    this.openAt = this.end;
    this.rows += part.rows;
    this.count += part.rows;
  }

  page(): LogsPage {
    const { count, rows, limit, stored } = this;
    return {
      count,
      hasMore: rows > limit,
      last: count === 0 ? null : this.findLast(),
      documents: () => this.listDocuments(),
      close: (tail) => {
        const open = this.closeBody(tail);
        const pieces = stored.flatMap(({ before, part }): Piece[] => [before, part]);
        return pieces.length === 0 ? open : sealedBody([...pieces, open]);
      },
    };
  }

  private findLast(): RowPosition {
    const last = this.lastDocument();
    const text = (from: number, length: number) => last.toString('latin1', from, from + length);
    return { id: text(documentIdAt, 36), atMs: Date.parse(text(documentStampAt, stampBytes)) };
  }

  private lastDocument(): Buffer {
    const newest = this.stored.at(-1);
    if (newest?.documents !== this.starts.length) return this.body.subarray(this.starts.at(-1), this.ends.at(-1));
    const { part } = newest;
    return openPart(part).subarray(...documentRange(part, part.rows - 1));
  }

  private *listDocuments(): Iterable<Buffer> {
    let row = 0;
    for (const { documents, part } of [...this.stored, { documents: this.starts.length, part: null }]) {
      for (; row < documents; row++) yield this.body.subarray(this.starts[row], this.ends[row]);
      if (part === null) continue;
      const text = openPart(part);
      for (let number = 0; number < part.rows; number++) yield text.subarray(...documentRange(part, number));
    }
  }

  /** The part of the body after the last stored part, and what follows the documents. */
  private closeBody(tail: string): Buffer {
    const length = Buffer.byteLength(tail) + 1;
    const body =
      this.body.length - this.end >= length
        ? this.body
        : Buffer.concat([this.body.subarray(0, this.end)], this.end + length);
    const closed = this.end + body.write(`]${tail}`, this.end);
    return body.subarray(this.openAt, closed);
  }
}
