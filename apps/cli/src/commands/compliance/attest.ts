import { type Requirement, requirementCatalogue } from '@tenantscope/compliance';
import { formatTime, parseTime } from '@tenantscope/contract';
import { CommandError, usageError } from '../../command-error.ts';
import { currentOperator, findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseChoice } from '../../input/option-parsers.ts';
import { findSimilar } from '../../input/similar-names.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';
import { createComplianceState, readMicroseconds } from './compliance-state.ts';

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
const keyMaxLength = 120;

/** Writes an attestation like one received from Kafka: parsed by the same reader, under the same version rule. */
export async function writeAttestation(options: AttestOptions, context: CommandContext): Promise<CommandResult> {
  const nowMicroseconds = readMicroseconds();
  const nowMs = Math.floor(nowMicroseconds / 1_000);
  const requirement = findRequirement(options.requirement);
  const verdict = parseChoice(options.verdict, verdicts, '--verdict');
  const justification = options.justification?.trim() || null;
  if (verdict === 'not_applicable' && justification === null)
    throw usageError(
      '--verdict not_applicable needs a --justification: why the requirement does not apply to this tenant',
    );
  const validUntilMs = parseValidUntil(options.validUntil, requirement, nowMs);
  const attestation = {
    requirementKey: requirement.key,
    verdict,
    justification,
    attestedBy: options.by?.trim() || currentOperator(),
    attestedAt: formatTime(nowMs),
    validUntil: validUntilMs === null ? null : formatTime(validUntilMs),
  };
  const tenantId = await withAdmin(context.environment, async (admin) => {
    const tenant = await findTenant(admin, options.tenant);
    // There is one record per requirement; a later attestation replaces it.
    const record = { id: requirement.key, versionMicroseconds: nowMicroseconds, members: attestation };
    const outcome = await admin.compliance.write(createComplianceState(tenant, 'attestation', record));
    if (outcome !== 'applied')
      throw new CommandError(
        `${requirement.key} already has an attestation that is newer than now; check the system clock`,
      );
    return tenant.id;
  });
  const latestMs = latestValidUntil(requirement, nowMs);
  const document = {
    tenantId,
    ...attestation,
    validUntil: attestation.validUntil ?? (latestMs === null ? null : formatTime(latestMs)),
  };
  const note =
    requirement.kind === 'measured'
      ? `\n${requirement.key} is measured: the attestation is shown with its status and does not change it.`
      : '';
  return { document, text: `${formatFields(Object.entries(document))}${note}` };
}

function findRequirement(text: string): Requirement {
  const key = text.trim().slice(0, keyMaxLength);
  const found = requirementCatalogue.find((one) => one.key === key);
  if (found) return found;
  const keys = requirementCatalogue.map((one) => one.key);
  throw usageError(`there is no requirement ${key}; did you mean: ${findSimilar(key, keys, 3).join(', ')}`);
}

function parseValidUntil(text: string | undefined, requirement: Requirement, nowMs: number): number | null {
  if (text === undefined) return null;
  const endMs = parseTime(text);
  if (endMs === null) throw usageError('--valid-until must be a time, for example 2027-01-31T00:00:00Z');
  if (endMs <= nowMs) throw usageError(`--valid-until ${formatTime(endMs)} is in the past`);
  const latest = latestValidUntil(requirement, nowMs);
  if (latest !== null && endMs > latest)
    throw usageError(
      `--valid-until ${formatTime(endMs)} is later than ${formatTime(latest)}: attestations of ${requirement.key} are valid for at most ${(latest - nowMs) / dayMs} days`,
    );
  return endMs;
}

/** Null where an attestation changes no status, so that its validity has no limit. */
function latestValidUntil(requirement: Requirement, nowMs: number): number | null {
  return requirement.kind === 'measured' ? null : nowMs + requirement.attestation.defaultValidityDays * dayMs;
}
