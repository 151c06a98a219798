import type { RecordTableName } from '@tenantscope/contract';
import type { JsonObject } from '../json/value.ts';
import { toVisibleJson, writeMembers } from '../json/write-json.ts';
import type { ColumnValue } from '../message/record-outcome.ts';
import type { DomainOutcome, ValidatedRecord } from './domain-record.ts';

/** The served and filtered values of a state, as received. */
export interface Projection {
  readonly columns: Readonly<Record<string, ColumnValue>>;
  readonly times: Readonly<Record<string, number>>;
  /** Of the list row, in the contract's order. */
  readonly members: JsonObject;
  /** Members that the by-id document adds; null where there is no by-id read. */
  readonly detail: JsonObject | null;
}

/** A state ready to be written: its texts are untrusted, so invisible characters are made visible. */
export function toStateOutcome(
  table: RecordTableName,
  record: Pick<ValidatedRecord, 'tenantId' | 'id' | 'version' | 'digest'>,
  projection: Projection,
): DomainOutcome {
  const { tenantId, id, version, digest } = record;
  const { columns, times, members, detail } = projection;
  const state = {
    tenantId,
    id,
    version,
    digest,
    columns: toVisibleJson(columns) as Projection['columns'],
    times,
    members: writeMembers(members),
    detailMembers: detail && writeMembers(detail),
  };
  return { kind: 'state', table, state };
}
