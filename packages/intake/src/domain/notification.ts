import { notificationChannels, notificationDecisions, notificationSources, severities } from '@tenantscope/contract';
import { z } from 'zod';
import { isRejection, type Rejection } from '../message/rejection.ts';
import type { DomainKind, DomainOutcome, ValidatedRecord } from './domain-record.ts';
import {
  count,
  formatInstant,
  immutablePayload,
  parseInstant,
  parsePayload,
  rejectMember,
  text,
  time,
} from './payload.ts';
import { toStateOutcome } from './projection.ts';

export const notificationPayload = immutablePayload.extend({
  createdAt: time,
  source: z.enum(notificationSources),
  kind: text.min(1),
  channel: z.enum(notificationChannels),
  decision: z.enum(notificationDecisions),
  reason: text.min(1).nullish().meta({ description: 'Required unless the decision is sent.' }),
  policyId: text.nullish(),
  policyName: text.nullish(),
  subjectType: text.nullish(),
  subjectId: text.nullish(),
  subjectCount: count.nullish(),
  resourceType: text.nullish(),
  resourceId: text.nullish(),
  severity: z.enum(severities).nullish(),
  recipients: z.array(text).nullish(),
  recipientSource: text.nullish(),
  senderMode: text.nullish(),
  mailSubject: text.nullish(),
});

export const notification: DomainKind = {
  name: 'notification',
  isDeletable: false,
  isImmutable: true,
  toRow: (tenantId, id) => ({ table: 'notification', tenantId, id }),
  read,
};

function read(record: ValidatedRecord): DomainOutcome | Rejection {
  const state = parsePayload(notificationPayload, record.plain);
  if (isRejection(state)) return state;
  const { createdAt, source, kind, channel, decision } = state;
  if (decision !== 'sent' && state.reason == null) {
    return rejectMember('reason', 'expected a text where the decision is not sent');
  }
  return toStateOutcome('notification', record, {
    columns: {
      decision,
      source,
      kind,
      channel,
      severity: state.severity ?? null,
      policy_id: state.policyId ?? null,
      subject_type: state.subjectType ?? null,
      resource_id: state.resourceId ?? null,
    },
    times: { created_at: parseInstant(createdAt) },
    members: {
      createdAt: formatInstant(createdAt),
      source,
      kind,
      channel,
      decision,
      reason: state.reason ?? null,
      policyId: state.policyId ?? null,
      policyName: state.policyName ?? null,
      subjectType: state.subjectType ?? null,
      subjectId: state.subjectId ?? null,
      subjectCount: state.subjectCount ?? null,
      resourceType: state.resourceType ?? null,
      resourceId: state.resourceId ?? null,
      severity: state.severity ?? null,
      recipients: state.recipients ?? null,
      recipientSource: state.recipientSource ?? null,
      senderMode: state.senderMode ?? null,
      mailSubject: state.mailSubject ?? null,
    },
    detail: null,
  });
}
