import { policyScanStatuses, severities } from '@tenantscope/contract';
import { z } from 'zod';
import { type Reading, readJson } from '../json/read-json.ts';
import type { Json } from '../json/value.ts';
import { writeVisible } from '../json/write.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Arrival, DomainKind, Said } from './domain-record.ts';
import { broken, conform, count, instantOf, shown, statefulPayload, text, time } from './payload.ts';
import { projected } from './projection.ts';

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
    .meta({ description: 'JSON as text, or the value itself; null where there are none.' }),
});

export const policyScan: DomainKind = {
  name: 'policy-scan',
  isDeletable: false,
  isImmutable: false,
  rowOf: (tenantId, id) => ({ table: 'policy_scan', tenantId, id }),
  read,
};

function read(arrival: Arrival): Said | Rejection {
  const state = conform(policyScanPayload, arrival.plain);
  if (isRejection(state)) return state;
  const automations = automationsOf(arrival.payload.automations);
  if (isRejection(automations)) return automations;
  const { name, severity, status, resourceType, resources, scannedAt, policyId } = state;
  const isResolved = status === 'resolved' || status === 'clear';
  return projected('policy_scan', arrival, {
    columns: { severity, status, is_resolved: isResolved, resource_type: resourceType, policy_id: policyId },
    times: { scanned_at: instantOf(scannedAt) },
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
      scannedAt: shown(scannedAt),
      resolvedAt: shown(state.resolvedAt),
    },
    detail: { policyId, automations },
  });
}

/** JSON text in which nothing hides: made visible inside, so that it stays JSON. */
function automationsOf(sent: Json | undefined): string | null | Rejection {
  if (sent === undefined || sent === null) return null;
  const reading: Reading | Rejection =
    typeof sent === 'string' ? readJson(Buffer.from(sent), 'member automations') : { value: sent, repeatsNames: false };
  if (isRejection(reading)) return broken('automations', 'expected JSON text');
  return writeVisible(reading.value);
}
