import { type Requirement, requirementCatalogue } from '@tenantscope/compliance';
import { parseTime, showTime } from '@tenantscope/contract';
import { readRecords, writeKey } from '@tenantscope/intake';
import { cloudEvent } from '@tenantscope/publish';
import type { Tenant } from '@tenantscope/store';
import { findTenant, operator, withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { oneOf } from './arguments.ts';
import { misused, Refusal } from './failure.ts';
import { nearest } from './nearest.ts';
import type { Surroundings } from './surroundings.ts';
import { listing } from './table.ts';

export interface AttestOptions {
  readonly tenant: string;
  readonly requirement: string;
  readonly verdict: string;
  readonly justification?: string;
  readonly validUntil?: string;
  readonly by?: string;
}

const verdicts = ['compliant', 'partial', 'non_compliant', 'not_applicable'] as const;
const dayMs = 86_400_000;
const longestKey = 120;

/** Writes an attestation as if it had arrived as a record: read by the same reader, under the same rule of versions. */
export async function attest(options: AttestOptions, around: Surroundings): Promise<Answer> {
  const nowMicroseconds = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
  const nowMs = Math.floor(nowMicroseconds / 1_000);
  const requirement = findRequirement(options.requirement);
  const verdict = oneOf(options.verdict, verdicts, '--verdict');
  const justification = options.justification?.trim() || null;
  if (verdict === 'not_applicable' && justification === null)
    throw misused('--verdict not_applicable needs a --justification: why the requirement does not concern this tenant');
  const validUntilMs = readEnd(options.validUntil, nowMs);
  const attestation = {
    requirementKey: requirement.key,
    verdict,
    justification,
    attestedBy: options.by?.trim() || operator(),
    attestedAt: showTime(nowMs),
    validUntil: validUntilMs === null ? null : showTime(validUntilMs),
  };
  const tenantId = await withAdmin(around.environment, async (admin) => {
    const tenant = await findTenant(admin, options.tenant);
    const outcome = await admin.compliance.write(stateOf(tenant, nowMicroseconds, attestation));
    if (outcome !== 'applied')
      throw new Refusal(`an attestation of ${requirement.key} stands that is newer than now: is a clock wrong?`);
    return tenant.id;
  });
  const answer = { tenantId, ...attestation, validUntil: attestation.validUntil ?? endByCatalogue(requirement, nowMs) };
  const note =
    requirement.kind === 'measured'
      ? `\n${requirement.key} is measured: the attestation is shown beside its status and does not change it.`
      : '';
  return { document: answer, text: `${listing(Object.entries(answer))}${note}` };
}

function findRequirement(text: string): Requirement {
  const key = text.trim().slice(0, longestKey);
  const found = requirementCatalogue.find((one) => one.key === key);
  if (found) return found;
  const keys = requirementCatalogue.map((one) => one.key);
  throw misused(`there is no requirement ${key}; spelled most like it: ${nearest(key, keys, 3).join(', ')}`);
}

function readEnd(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const endMs = parseTime(text);
  if (endMs === null) throw misused('--valid-until must be a time, for example 2027-01-31T00:00:00Z');
  if (endMs <= nowMs) throw misused(`--valid-until ${showTime(endMs)} is past`);
  return endMs;
}

function endByCatalogue(requirement: Requirement, nowMs: number): string | null {
  if (requirement.kind === 'measured') return null;
  return showTime(nowMs + requirement.attestation.defaultValidityDays * dayMs);
}

/** One record per requirement: what is attested next takes its place. */
function stateOf(
  { id: tenantId, azureTenantId }: Tenant,
  nowMicroseconds: number,
  attestation: { readonly requirementKey: string },
) {
  const nowMs = Math.floor(nowMicroseconds / 1_000);
  const { requirementKey: id } = attestation;
  const changedAt = showTime(nowMs).replace('Z', `${String(nowMicroseconds % 1_000).padStart(3, '0')}Z`);
  const payload = { id, tenantId, version: nowMicroseconds, changedAt, ...attestation };
  const message = cloudEvent({
    id: `${id}:${nowMicroseconds}`,
    source: '/platform/command-line',
    type: 'tenantscope.compliance.attestation.upserted.v1',
    tenantId,
    timeMs: nowMs,
    value: Buffer.from(JSON.stringify(payload)),
    key: writeKey(tenantId, 'attestation', id),
  });
  const context = { tenantOf: () => ({ azureTenantId }), nowMs, maxValueBytes: 1_048_576, onlyElement: null };
  const [outcome] = readRecords('compliance', { ...message, key: Buffer.from(String(message.key)) }, context);
  if (outcome?.kind === 'state') return outcome.state;
  throw misused(outcome?.kind === 'rejected' ? outcome.detail : 'the attestation cannot be read');
}
