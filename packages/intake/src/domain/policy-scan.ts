import { policyScanStatuses, severities } from '@tenantscope/contract';
import { z } from 'zod';
import { readJson } from '../json/read-json.ts';
import type { Json } from '../json/value.ts';
import { writeVisible } from '../json/write-json.ts';
import { isRejection, type Rejection } from '../message/rejection.ts';
import type { DomainKind, DomainOutcome, ValidatedRecord } from './domain-record.ts';
import {
  count,
  formatInstant,
  parseInstant,
  parsePayload,
  rejectMember,
  statefulPayload,
  text,
  time,
} from './payload.ts';
import { toStateOutcome } from './projection.ts';

export const policyScanPayload = statefulPayload.extend({
  name: text,
  severity: z.enum(severities),
  status: z.enum(policyScanStatuses),
  resourceType: text,
  resources: count,
  scannedAt: time,
  policyId: text,
  assignedUser: text.nullish(),
  description: text.nullish(),
  createdFrom: text.nullish(),
  resolvedAt: time.nullish(),
  automations: z
    .unknown()
    .optional()
    .meta({ description: 'JSON as text, or the value itself; null where there are no automations.' }),
});

export const policyScan: DomainKind = {
  name: 'policy-scan',
  isDeletable: false,
  isImmutable: false,
  toRow: (tenantId, id) => ({ table: 'policy_scan', tenantId, id }),
  read,
};

function read(record: ValidatedRecord): DomainOutcome | Rejection {
  const state = parsePayload(policyScanPayload, record.plain);
  if (isRejection(state)) return state;
  const automations = readAutomations(record.payload.automations);
  if (isRejection(automations)) return automations;
  const { name, severity, status, resourceType, resources, scannedAt, policyId } = state;
  const isResolved = status === 'resolved' || status === 'clear';
  return toStateOutcome('policy_scan', record, {
    columns: { severity, status, is_resolved: isResolved, resource_type: resourceType, policy_id: policyId },
    times: { scanned_at: parseInstant(scannedAt) },
    members: {
      name,
      severity,
      status,
      isResolved,
      resourceType,
      resources,
      assignedUser: state.assignedUser ?? null,
      description: state.description ?? null,
      createdFrom: state.createdFrom ?? null,
      scannedAt: formatInstant(scannedAt),
      resolvedAt: formatInstant(state.resolvedAt),
    },
    detail: { policyId, automations },
  });
}

/** JSON text without invisible characters: its texts are made visible one by one, so that it stays JSON. */
function readAutomations(sent: Json | undefined): string | null | Rejection {
  if (sent === undefined || sent === null) return null;
  if (typeof sent !== 'string') return writeVisible(sent);
  const parsed = readJson(Buffer.from(sent), 'member automations');
  if (isRejection(parsed)) return rejectMember('automations', 'expected JSON text');
  return writeVisible(parsed.value);
}
