import pg from 'pg';

/** The messages of one connection up to a Sync, of prepared statements: as one text with the values in it, as it would be sent without preparing. */
export class PreparedMessages {
  private readonly texts = new Map<string, string>();
  private pending: Buffer[] = [];
  private bound: { text: string; resultFormats: Buffer }[] = [];

  /** Holds messages back until the Sync. If `change` returns another text, its statements are sent instead. */
  passOn(frame: Buffer, change: (statement: string) => string): Buffer {
    const kind = String.fromCharCode(frame[0] as number);
    const fields = new Fields(frame);
    if (kind === 'P') this.texts.set(fields.text(), fields.text());
    if (kind === 'B') this.bind(fields);
    this.pending.push(frame);
    if ('PBCDE'.includes(kind)) return Buffer.alloc(0);
    const [pending, bound] = [this.pending, this.bound];
    [this.pending, this.bound] = [[], []];
    if (kind !== 'S') return Buffer.concat(pending);
    const statement = bound.map(({ text }) => text).join(';');
    const changed = change(statement);
    if (changed === statement) return Buffer.concat(pending);
    const texts = changed.split(';');
    if (texts.length !== bound.length)
      throw new Error(`${texts.length} instead of ${bound.length} statements: ${changed}`);
    const preparing = pending.filter((one) => 'PC'.includes(String.fromCharCode(one[0] as number)));
    const executing = bound.flatMap(({ resultFormats }, index) => [
      writeFrame('P', Buffer.from(`\0${texts[index]}\0\0\0`)),
      writeFrame('B', Buffer.concat([Buffer.alloc(6), resultFormats])),
      writeFrame('E', Buffer.alloc(5)),
    ]);
    return Buffer.concat([...preparing, ...executing, frame]);
  }

  private bind(fields: Fields): void {
    fields.text();
    const text = this.texts.get(fields.text()) ?? '';
    for (let formats = fields.int16(); formats > 0; formats--) fields.int16();
    const values = Array.from({ length: fields.int16() }, () => fields.value());
    const inserted = text.replace(/(limit )?\$(\d+)/g, (_, limit: string | undefined, number: string) => {
      const value = values[Number(number) - 1] ?? null;
      if (value === null) return 'null';
      return limit === undefined ? pg.escapeLiteral(value) : limit + value;
    });
    this.bound.push({ text: inserted, resultFormats: fields.rest() });
  }
}

/** Reads the fields of a message, one after the other. */
class Fields {
  private at = 5;
  private readonly frame: Buffer;

  constructor(frame: Buffer) {
    this.frame = frame;
  }

  text(): string {
    const end = this.frame.indexOf(0, this.at);
    const text = this.frame.toString('utf8', this.at, end);
    this.at = end + 1;
    return text;
  }

  int16(): number {
    this.at += 2;
    return this.frame.readInt16BE(this.at - 2);
  }

  value(): string | null {
    const length = this.frame.readInt32BE(this.at);
    this.at += 4 + Math.max(0, length);
    return length < 0 ? null : this.frame.toString('utf8', this.at - length, this.at);
  }

  rest(): Buffer {
    return this.frame.subarray(this.at);
  }
}

export function writeFrame(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
