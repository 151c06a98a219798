import type { Severity } from '@tenantscope/contract';
import { type Json, type JsonObject, listOf, objectOf } from '../json/value.ts';
import { highest, severityNamed } from '../severity/severity.ts';

/** The severity that Microsoft itself gives: of the gravest rule of a data loss prevention match, or of an alert. */
export function upstreamSeverity(record: JsonObject): Severity | null {
  const rules = listOf(record.PolicyDetails).flatMap((policy) => listOf(objectOf(policy).Rules));
  return highest(
    [record.Severity, ...rules.map((rule): Json | undefined => objectOf(rule).Severity)].map(severityNamed),
  );
}
