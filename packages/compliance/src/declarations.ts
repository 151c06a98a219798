import { parseTime } from '@tenantscope/contract';
import type { Declarations } from '@tenantscope/store';
import type { Attestation, Facts } from './facts.ts';
import type { FrameworkSelection } from './selection.ts';
import { isNewer } from './version.ts';

/** A time without which a statement says nothing: the schema of records saw to it. */
function instantOf(text: string): number {
  const ms = parseTime(text);
  if (ms === null) throw new TypeError('a record that was taken in has a time that is none');
  return ms;
}

export function attestationsOf({ attestations }: Declarations): Attestation[] {
  return attestations.map(({ version, digest, payload }) => ({
    requirementKey: payload.requirementKey,
    subject: payload.subject ?? null,
    verdict: payload.verdict,
    justification: payload.justification ?? null,
    attestedBy: payload.attestedBy,
    attestedAtMs: instantOf(payload.attestedAt),
    validUntilMs: payload.validUntil == null ? null : instantOf(payload.validUntil),
    evidenceRefs: payload.evidenceRefs ?? [],
    version,
    digest,
  }));
}

export function selectionsOf({ frameworkSelections }: Declarations): FrameworkSelection[] {
  return frameworkSelections.map(({ version, digest, changedAtMs, payload }) => ({
    framework: payload.framework,
    selected: payload.selected,
    changedAtMs,
    version,
    digest,
  }));
}

/** The newest word on each fact. */
export function tenantFactsOf({ tenantFacts }: Declarations): Facts['tenantFacts'] {
  const newest = new Map<string, (typeof tenantFacts)[number]>();
  for (const told of tenantFacts) {
    const before = newest.get(told.payload.key);
    if (!before || isNewer(told, before)) newest.set(told.payload.key, told);
  }
  return Object.fromEntries([...newest].map(([key, { payload }]) => [key, payload.value]));
}
