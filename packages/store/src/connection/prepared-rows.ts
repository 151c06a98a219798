import type { Connection } from 'pg';
import { readErrorCode } from './errors.ts';
import { type DataRow, divert, type Take, WireQuery } from './wire-query.ts';

/** A statement that each connection prepares once, under its name. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: string[];
}

const dataRow = 0x44;
/** By connection, the names of its statements. */
const prepared = new WeakMap<Connection, Set<string>>();

/**
 * Two prepared statements in one message and one implicit transaction: one row of the first, as texts, and the rows of the second as bytes, in the
 * format of the rows of a binary COPY.
 */
class PreparedRows extends WireQuery {
  precedingRow: readonly (string | null)[] | null = null;
  hasRows = false;
  private connection: Connection | null = null;
  private readonly statements: readonly [PreparedStatement, PreparedStatement];
  private readonly take: Take;
  private restore = () => {};

  constructor(statements: readonly [PreparedStatement, PreparedStatement], take: Take) {
    super();
    this.statements = statements;
    this.take = take;
  }

  submit(connection: Connection): void {
    this.connection = connection;
    this.restore = divert(connection.stream, { code: dataRow, afterCommands: 1 }, (bytes, from, to) => {
      this.hasRows = true;
      this.take(bytes, from, to);
    });
    const [first, second] = this.statements;
    connection.stream.cork();
    prepareOnce(connection, first);
    prepareOnce(connection, second);
    connection.bind({ statement: first.name, values: first.values }, true);
    connection.execute(null, true);
    // Any text requests the binary format.
    connection.bind({ statement: second.name, values: second.values, binary: 'binary' }, true);
    connection.execute(null, true);
    connection.sync();
    connection.stream.uncork();
  }

  /** Prepares the statements again when they are sent again. */
  forget(): void {
    if (this.connection) prepared.delete(this.connection);
  }

  override handleDataRow({ fields }: DataRow): void {
    this.precedingRow = fields;
  }

  override handleError(error: Error): void {
    this.restore();
    super.handleError(error);
  }

  override handleReadyForQuery(): void {
    this.restore();
    super.handleReadyForQuery();
  }

  handleParseComplete(): void {}
}

/** The name may be in use: statements that the server or a pooler no longer accepts are prepared again. To close none is no error. */
function prepareOnce(connection: Connection, { name, text }: PreparedStatement): void {
  const names = prepared.get(connection) ?? new Set();
  if (names.has(name)) return;
  connection.close({ type: 'S', name }, true);
  connection.parse({ name, text, types: [] }, true);
  prepared.set(connection, names.add(name));
}

/** A column has another type than when the statement was prepared, or the connection leads to another session, where it was not. */
const staleCodes = new Set(['0A000', '26000']);

/** @returns the row of the first statement. The rows of the second go to `take`, without their number of bytes. */
export async function readPreparedRows(
  client: { query(query: WireQuery): unknown },
  statements: readonly [PreparedStatement, PreparedStatement],
  take: Take,
): Promise<readonly (string | null)[] | null> {
  for (let isRepeated = false; ; isRepeated = true) {
    const rows = new PreparedRows(statements, take);
    client.query(rows);
    try {
      await rows.done;
      return rows.precedingRow;
    } catch (error) {
      if (isRepeated || rows.hasRows || !staleCodes.has(readErrorCode(error))) throw error;
      rows.forget();
    }
  }
}
