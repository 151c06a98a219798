import type { ActivityFormatName } from '@tenantscope/intake';
import { management, readRow } from './message.ts';

export type Members = Record<string, unknown>;

/** The facts of a record, each with its kind and its agent. */
export function readFacts(format: ActivityFormatName, record: Members) {
  return readRow(format, record).facts.map(({ facts, ...rest }) => ({ ...rest, facts: JSON.parse(facts) as Members }));
}

export function readManagementFacts(record: Members) {
  return readFacts('o365.management-activity', management(record));
}
