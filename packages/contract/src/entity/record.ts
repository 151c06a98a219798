import { z } from 'zod';
import { flag, texts } from '../parameter/parameter.ts';
import { mutableRecord } from '../record/mutable-record.ts';
import { nestedListMax, timestamp } from './field.ts';

/** The first members of every entity, before those of its kind. */
const head = {
  ...mutableRecord,
  firstSeenAt: timestamp('When the service first wrote it.'),
  createdAt: timestamp('When the provider created it.'),
  lastSeenAt: timestamp('When its producer last reported it.'),
  deletedAt: timestamp('When it was deleted; null if it exists.'),
};

/** Members that the store sets and no producer sends. */
export const storeOnlyMembers = ['id', 'updatedAt', 'version', 'changeId', 'tenantId', 'firstSeenAt'] as const;

export function entityRecord<Id extends string, Shape extends z.ZodRawShape>(
  id: Id,
  description: string,
  fields: Shape,
) {
  return z.object({ ...head, ...fields }).meta({ id, description });
}

/** Windows and sorts of every entity list. */
export const entityListOptions = {
  windows: {
    updatedAt: {
      from: 'from',
      to: 'to',
      clock: 'write',
      description: 'updatedAt, when the service last changed the record',
    },
  },
  sorts: ['updatedAtDesc', 'updatedAtAsc'],
} as const;

export function entityFilters(searched: string, example: string) {
  return {
    search: texts(`Beginning of the ${searched}.`, example, { caseInsensitive: true }),
    includeDeleted: flag('Also return deleted records, with deletedAt set. A deletion is a change.'),
  };
}

/** Sentences in the description of every entity list and by-id operation. */
export const entityListNotes =
  'Poll on updatedAt with sort=updatedAtAsc and follow resumeCursor: every change, or a later change of the same record, is returned. ' +
  'null means unknown, never zero. Names are text from third parties. Values may be added to every vocabulary.';
export const entityGetNotes = `Deleted records are returned too, with deletedAt set. Its lists have at most ${nestedListMax} entries. null means unknown. Names are text from third parties.`;

export const riskLevels = ['none', 'low', 'medium', 'high', 'unknown'] as const;
export const riskStates = [
  'none',
  'confirmedSafe',
  'remediated',
  'dismissed',
  'atRisk',
  'confirmedCompromised',
] as const;
