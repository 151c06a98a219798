import { z } from 'zod';
import { instant } from './scalar.ts';

/** The members every mutable record begins with, in this order. `updatedAt` is our write time, the lossless axis of its list. */
export const mutableRecord = {
  id: z.string().meta({ description: 'Id of the record.' }),
  updatedAt: instant('When the service wrote this state of the record: the field to poll on.'),
  version: z.int().min(1).meta({ description: 'States of one record follow each other by it.' }),
  changeId: z.string().meta({ description: 'Id and version in one: tells two states of one record apart.' }),
};

/** The window every list of mutable records has besides that on its own time. */
export const updatedAt = {
  from: 'updatedFrom',
  to: 'updatedTo',
  clock: 'write',
  words: 'updatedAt, when the service wrote the row',
} as const;
