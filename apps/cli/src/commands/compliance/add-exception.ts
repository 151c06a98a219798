import { randomUUID } from 'node:crypto';
import { hasSubjects } from '@tenantscope/compliance';
import { formatTime, parseTime } from '@tenantscope/contract';
import { CommandError, usageError } from '../../command-error.ts';
import { findOpenTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';
import { findRequirement } from './attested-requirement.ts';
import { createComplianceState, readMicroseconds } from './compliance-state.ts';
import { parseReference } from './evidence-reference.ts';

export interface AddExceptionOptions {
  readonly tenant: string;
  readonly requirement: string;
  readonly reason: string;
  readonly approvedBy: string;
  readonly validUntil: string;
  readonly validFrom?: string;
  readonly subject?: readonly string[];
  readonly subjectName?: string;
  readonly subjectType?: string;
  readonly detail?: readonly string[];
  readonly evidence?: readonly string[];
}

/** Writes an exception like one received from Kafka: parsed by the same reader, under the same version rule. */
export async function addException(options: AddExceptionOptions, context: CommandContext): Promise<CommandResult> {
  const versionMicroseconds = readMicroseconds();
  const nowMs = Math.floor(versionMicroseconds / 1_000);
  const requirement = findRequirement(options.requirement);
  if (!hasSubjects(requirement))
    throw usageError(`${requirement.key} has no subjects: exceptions are of measured requirements that count subjects`);
  const validUntilMs = parseInstant(options.validUntil, '--valid-until');
  if (validUntilMs <= nowMs) throw usageError(`--valid-until ${formatTime(validUntilMs)} is in the past`);
  const exception = {
    requirementKey: requirement.key,
    ...parseSelection(options),
    reason: options.reason.trim(),
    approvedBy: options.approvedBy.trim(),
    validFrom: formatTime(options.validFrom === undefined ? nowMs : parseInstant(options.validFrom, '--valid-from')),
    validUntil: formatTime(validUntilMs),
    evidenceRefs: (options.evidence ?? []).map(parseReference),
  };
  const id = randomUUID();
  const tenantId = await withAdmin(context.environment, async (admin) => {
    const tenant = await findOpenTenant(admin, options.tenant);
    const record = { id, versionMicroseconds, members: exception };
    if ((await admin.compliance.write(createComplianceState(tenant, 'exception', record))) !== 'applied')
      throw new CommandError(`the exception ${id} was not stored`);
    return tenant.id;
  });
  const document = { tenantId, id, ...exception };
  const fields = Object.entries(document).map(
    ([name, value]) => [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value] as const,
  );
  const note = `What it covers: GET /compliance/requirements/${requirement.key}/findings?state=excepted`;
  return { document, text: `${formatFields(fields)}\n${note}` };
}

function parseInstant(text: string, option: string): number {
  const ms = parseTime(text);
  if (ms === null) throw usageError(`${option} must be a time, for example 2027-01-31T00:00:00Z`);
  return ms;
}

/** Ids, or a query: what the other members of findings must match. */
function parseSelection({ subject, subjectName, subjectType, detail }: AddExceptionOptions) {
  const isQuery = subjectName !== undefined || subjectType !== undefined || detail !== undefined;
  if ((subject === undefined) === !isQuery)
    throw usageError('an exception needs either --subject, or --subject-name or --detail');
  if (subject !== undefined) return { subjectIds: [...new Set(subject)], query: null };
  const members = Object.fromEntries((detail ?? []).map(parseDetail));
  const query = { subjectType: subjectType ?? null, subjectName: subjectName ?? null, detail: members };
  return { subjectIds: null, query };
}

function parseDetail(text: string): readonly [name: string, pattern: string] {
  const [, name = '', pattern = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === '')
    throw usageError('--detail must be a name, an equals sign and a pattern, for example accountId=svc-*');
  return [name, pattern];
}
