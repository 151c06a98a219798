import type { listEmails } from '@tenantscope/contract';
import {
  equals,
  equalsAnyCase,
  holdsAny,
  holdsAnyInLowerCase,
  isTrue,
  type Resource,
  startsWith,
  unlessAsked,
} from '../../resource.ts';
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
    threatType: holdsAny('threat_types'),
    direction: equals('direction'),
    sender: equalsAnyCase('sender_key'),
    recipient: holdsAnyInLowerCase('recipient_keys'),
    hasDlpMatch: isTrue('r.dlp_match_count > 0'),
    deliveryLocation: equals('delivery_location'),
    search: startsWith('name_key', 'sender_key'),
    includeDeleted: unlessAsked('not r.is_deleted'),
  },
};
