import { parseTime } from '@tenantscope/contract';
import type { Declarations } from '@tenantscope/store/compliance';
import type { Attestation, Facts } from '../evaluation/facts.ts';
import { isNewer } from '../evaluation/version.ts';
import type { FrameworkSelection } from './framework-selection.ts';

/** A time of a record: the schema of records has validated it. */
function parseInstant(text: string): number {
  const ms = parseTime(text);
  if (ms === null) throw new TypeError('a stored record has an invalid time');
  return ms;
}

export function toAttestations({ attestations }: Declarations): Attestation[] {
  return attestations.map(({ version, digest, payload }) => ({
    requirementKey: payload.requirementKey,
    subject: payload.subject ?? null,
    verdict: payload.verdict,
    justification: payload.justification ?? null,
    attestedBy: payload.attestedBy,
    attestedAtMs: parseInstant(payload.attestedAt),
    validUntilMs: payload.validUntil == null ? null : parseInstant(payload.validUntil),
    evidenceRefs: payload.evidenceRefs ?? [],
    version,
    digest,
  }));
}

export function toSelections({ frameworkSelections }: Declarations): FrameworkSelection[] {
  return frameworkSelections.map(({ version, digest, changedAtMs, payload }) => ({
    framework: payload.framework,
    selected: payload.selected,
    changedAtMs,
    version,
    digest,
  }));
}

/** The newest value of each fact. */
export function toTenantFacts({ tenantFacts }: Declarations): Facts['tenantFacts'] {
  const newest = new Map<string, (typeof tenantFacts)[number]>();
  for (const fact of tenantFacts) {
    const before = newest.get(fact.payload.key);
    if (!before || isNewer(fact, before)) newest.set(fact.payload.key, fact);
  }
  return Object.fromEntries([...newest].map(([key, { payload }]) => [key, payload.value]));
}
