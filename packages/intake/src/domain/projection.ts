import type { JsonObject } from '../json/value.ts';
import { visible, writeMembers } from '../json/write.ts';
import type { ColumnValue, RecordTableName } from '../record-outcome.ts';
import type { Arrival, Said } from './domain-record.ts';

/** What is served and compared of a state, in values as received. */
export interface Projection {
  readonly columns: Readonly<Record<string, ColumnValue>>;
  readonly times: Readonly<Record<string, number>>;
  /** Of the list row, in the contract's order. */
  readonly members: JsonObject;
  /** What the by-id document adds; null where there is no by-id read. */
  readonly detail: JsonObject | null;
}

/** A state ready to be written: its texts are untrusted, so whatever hides in them is made visible. */
export function projected(
  table: RecordTableName,
  arrival: Pick<Arrival, 'tenantId' | 'id' | 'version' | 'digest'>,
  projection: Projection,
): Said {
  const { tenantId, id, version, digest } = arrival;
  const { columns, times, members, detail } = projection;
  const state = {
    tenantId,
    id,
    version,
    digest,
    columns: visible(columns) as Projection['columns'],
    times,
    members: writeMembers(members),
    detailMembers: detail && writeMembers(detail),
  };
  return { kind: 'state', table, state };
}
