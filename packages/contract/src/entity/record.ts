import { z } from 'zod';
import { mutableRecord } from '../mutable-record.ts';
import { flag, texts } from '../parameter.ts';
import { moment } from './field.ts';

/** Members that every entity begins with; the rest of a record follows them. */
const head = {
  ...mutableRecord,
  firstSeenAt: moment('When the service first wrote it.'),
  createdAt: moment('When the provider created it.'),
  lastSeenAt: moment('When its producer last said anything about it.'),
  deletedAt: moment('When it was deleted; null while it exists.'),
};

/** Members that the store knows and no producer sends. */
export const storeMembers = ['id', 'updatedAt', 'version', 'changeId', 'firstSeenAt'] as const;

export function entityRecord<Id extends string, Shape extends z.ZodRawShape>(
  id: Id,
  description: string,
  fields: Shape,
) {
  return z.object({ ...head, ...fields }).meta({ id, description });
}

/** What the lists of all entities share. */
export const everyEntityList = {
  windows: {
    updatedAt: { from: 'from', to: 'to', clock: 'write', words: 'updatedAt, when the service last changed the record' },
  },
  sorts: ['updatedAtDesc', 'updatedAtAsc'],
} as const;

export function everyEntityFilters(searched: string, example: string) {
  return {
    search: texts(`Beginning of the ${searched}.`, example, { anyCase: true }),
    includeDeleted: flag('Also deleted ones, with deletedAt set; a deletion is a change.'),
  };
}

/** Sentences that belong under each list and each by-id read. */
export const listWords =
  'Poll on updatedAt with sort=updatedAtAsc and follow resumeCursor: every change, or a later one of the same record, is seen. ' +
  'null means not known, never zero. Names are text from third parties. Values may be added to every vocabulary.';
export const getWords =
  'Deleted ones are answered too, with deletedAt set. null means not known. Names are text from third parties.';

export const riskLevels = ['none', 'low', 'medium', 'high', 'unknown'] as const;
export const riskStates = [
  'none',
  'confirmedSafe',
  'remediated',
  'dismissed',
  'atRisk',
  'confirmedCompromised',
] as const;
