import { randomUUID } from 'node:crypto';
import { expectStatus, memberAccess, type RefusalCase, trigger } from './refusal-case.ts';
import { insertDeadLetterRequest } from './statements.ts';

/** Requests to replay or discard dead letters. */
export const deadLetterRefusals: Record<string, RefusalCase> = {
  'a dead-letter request without an actor': {
    actor: null,
    error: /requires an actor/,
    sql: ({ ours, members }) => insertDeadLetterRequest(ours.organizationId, members.ann),
    ...trigger('dead_letter_request', 'audit_request'),
  },
  'a dead-letter request in the name of another member': {
    error: /own name/,
    sql: ({ ours, members }) => insertDeadLetterRequest(ours.organizationId, members.nina),
    ...trigger('dead_letter_request', 'audit_request'),
  },
  'a dead-letter request in the name of another organization': {
    error: /own organization/,
    sql: ({ members, theirs }) => insertDeadLetterRequest(theirs.organizationId, members.ann),
    ...memberAccess,
  },
  'a dead-letter request by an officer': {
    actor: 'olga',
    error: /not permitted for the role officer/,
    sql: ({ ours, members }) => insertDeadLetterRequest(ours.organizationId, members.olga),
    ...memberAccess,
    request: expectStatus(
      'olga',
      'POST',
      () => '/dead-letters/requests',
      () => ({ action: 'dryRun', ids: [randomUUID()] }),
      403,
    ),
  },
};
