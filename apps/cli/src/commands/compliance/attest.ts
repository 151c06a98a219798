import type { Requirement } from '@tenantscope/compliance';
import { formatTime, parseTime } from '@tenantscope/contract';
import { CommandError, usageError } from '../../command-error.ts';
import { currentOperator, findOpenTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseChoice } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';
import { findRequirement, latestValidUntil } from './attested-requirement.ts';
import { createComplianceState, readMicroseconds } from './compliance-state.ts';
import { parseReference } from './evidence-reference.ts';

export interface AttestOptions {
  readonly tenant: string;
  readonly requirement: string;
  readonly verdict: string;
  readonly justification?: string;
  readonly validUntil?: string;
  readonly evidence?: readonly string[];
  readonly by?: string;
}

const verdicts = ['compliant', 'partial', 'non_compliant', 'not_applicable'] as const;

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
  const validUntilMs = parseValidUntil(options.validUntil, nowMs);
  const attestation = {
    requirementKey: requirement.key,
    verdict,
    justification,
    attestedBy: options.by?.trim() || currentOperator(),
    attestedAt: formatTime(nowMs),
    validUntil: validUntilMs === null ? null : formatTime(validUntilMs),
    evidenceRefs: (options.evidence ?? []).map(parseReference),
  };
  const tenantId = await withAdmin(context.environment, async (admin) => {
    const tenant = await findOpenTenant(admin, options.tenant);
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
  const isShortened = validUntilMs !== null && latestMs !== null && validUntilMs > latestMs;
  const endMs = isShortened ? latestMs : (validUntilMs ?? latestMs);
  const document = {
    tenantId,
    ...attestation,
    validUntil: endMs === null ? null : formatTime(endMs),
    statedValidUntil: isShortened ? formatTime(validUntilMs) : null,
  };
  const { evidenceRefs, ...fields } = document;
  const references = evidenceRefs.map(
    (one) => ['evidence', `${one.uri}${one.title === null ? '' : ` (${one.title})`}`] as const,
  );
  return {
    document,
    text: [formatFields([...Object.entries(fields), ...references]), ...listNotes(requirement, document)].join('\n'),
  };
}

function listNotes(
  { kind, key }: Requirement,
  { validUntil, statedValidUntil }: { readonly validUntil: string | null; readonly statedValidUntil: string | null },
): string[] {
  return [
    ...(kind === 'measured'
      ? [`${key} is measured: the attestation is shown with its status and does not change it.`]
      : []),
    ...(statedValidUntil === null
      ? []
      : [`${statedValidUntil} is later than attestations of ${key} may be valid: this one ends on ${validUntil}.`]),
  ];
}

function parseValidUntil(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const endMs = parseTime(text);
  if (endMs === null) throw usageError('--valid-until must be a time, for example 2027-01-31T00:00:00Z');
  if (endMs <= nowMs) throw usageError(`--valid-until ${formatTime(endMs)} is in the past`);
  return endMs;
}
