import { randomUUID } from 'node:crypto';
import { letterRequest } from './changes.ts';
import { type Refused, reach, refuses, trigger } from './refused.ts';

/** Requests about dead letters. */
export const refusedOfLetters: Record<string, Refused> = {
  'a request about dead letters that nobody makes': {
    by: null,
    says: /names who makes it/,
    sql: ({ ours, people }) => letterRequest(ours.organizationId, people.ann),
    ...trigger('letter_request', 'record_request'),
  },
  'a request about dead letters in the name of another': {
    says: /of whom it says it is/,
    sql: ({ ours, people }) => letterRequest(ours.organizationId, people.nina),
    ...trigger('letter_request', 'record_request'),
  },
  'dead letters in the name of another organization': {
    says: /own organization/,
    sql: ({ people, theirs }) => letterRequest(theirs.organizationId, people.ann),
    ...reach,
  },
  'an officer and dead letters': {
    by: 'olga',
    says: /not for the role officer/,
    sql: ({ ours, people }) => letterRequest(ours.organizationId, people.olga),
    ...reach,
    asked: refuses(
      'olga',
      'POST',
      () => '/dead-letters/requests',
      () => ({ act: 'dryRun', ids: [randomUUID()] }),
      403,
    ),
  },
};
