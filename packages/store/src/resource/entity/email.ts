import type { listEmails } from '@tenantscope/contract';
import {
  containsAny,
  containsAnyLowerCase,
  equals,
  equalsIgnoringCase,
  hiddenUnlessIncluded,
  isTrue,
  type Resource,
  startsWith,
} from '../resource.ts';
import { entityColumns, entityLocation } from './location.ts';

export const emailTable = entityColumns('email', {
  name_key: 'text',
  sender_key: 'text',
  recipient_keys: 'text[]',
  threat_types: 'text[]',
  direction: 'text',
  delivery_location: 'text',
  dlp_match_count: 'bigint',
});

export const emails: Resource<typeof listEmails> = {
  ...entityLocation('email', 'email'),
  conditions: {
    threatType: containsAny('threat_types'),
    direction: equals('direction'),
    sender: equalsIgnoringCase('sender_key'),
    recipient: containsAnyLowerCase('recipient_keys'),
    hasDlpMatch: isTrue('r.dlp_match_count > 0'),
    deliveryLocation: equals('delivery_location'),
    search: startsWith('name_key', 'sender_key'),
    includeDeleted: hiddenUnlessIncluded('not r.is_deleted'),
  },
};
