import type { Severity } from '@tenantscope/contract';
import { type Json, type JsonObject, toList, toObject } from '../json/value.ts';
import { findHighest, parseSeverity } from '../severity/severity.ts';

/** Microsoft's own severity: that of the most severe rule of a data loss prevention match, or of an alert. */
export function readUpstreamSeverity(record: JsonObject): Severity | null {
  const rules = toList(record.PolicyDetails).flatMap((policy) => toList(toObject(policy).Rules));
  return findHighest(
    [record.Severity, ...rules.map((rule): Json | undefined => toObject(rule).Severity)].map(parseSeverity),
  );
}
