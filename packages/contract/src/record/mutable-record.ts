import { z } from 'zod';
import { instant } from './scalar.ts';

/** The first members of every mutable record, in this order. `updatedAt` is our write time, the lossless axis of its list. */
export const mutableRecord = {
  id: z.string().meta({ description: 'Id of the record.' }),
  updatedAt: instant('When the service wrote this state of the record: the field to poll on.'),
  version: z.int().min(1).meta({ description: 'Increases with every state of the record.' }),
  changeId: z.string().meta({ description: 'Identifies one state of the record: id and version combined.' }),
  tenantId: z.string().meta({ description: 'The tenant that the record belongs to: a GUID in lower case.' }),
};

/** The window that every list of mutable records has in addition to the one on its own time. */
export const updatedAt = {
  from: 'updatedFrom',
  to: 'updatedTo',
  clock: 'write',
  description: 'updatedAt, when the service wrote the row',
} as const;
