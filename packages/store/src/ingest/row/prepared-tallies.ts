import type { AuditLogRow } from './audit-log-row.ts';
import { type LogTally, listTallyKeys, type TallyKey } from './log-tallies.ts';

export interface PreparedTallyKey extends TallyKey {
  readonly tenantId: string;
  readonly tally: string;
}

/** The keys by which the lines of a batch are counted: the line numbered `lines[n]` counts for `keys[keyIndexes[n]]`. Lines ascend. */
export interface PreparedTallies {
  readonly keys: readonly PreparedTallyKey[];
  readonly lines: Uint32Array;
  readonly keyIndexes: Uint32Array;
}

/** A hot path: a search of a map for each key of a row. */
export function prepareTallies(rows: readonly AuditLogRow[], order: readonly number[]): PreparedTallies {
  const keys: PreparedTallyKey[] = [];
  const numbers = new Map<string, number>();
  const lines: number[] = [];
  const keyIndexes: number[] = [];
  for (let line = 0; line < order.length; line++) {
    const row = rows[order[line] as number] as AuditLogRow;
    const add = (tally: LogTally, key: TallyKey) => {
      const name = `${tally.name}\0${row.tenantId}\0${key.subject}\0${key.object}\0${key.flags}`;
      let number = numbers.get(name);
      if (number === undefined) {
        number = keys.push({ tenantId: row.tenantId, tally: tally.name, ...key }) - 1;
        numbers.set(name, number);
      }
      lines.push(line);
      keyIndexes.push(number);
    };
    listTallyKeys(row, row.facts, add);
  }
  return { keys, lines: Uint32Array.from(lines), keyIndexes: Uint32Array.from(keyIndexes) };
}
