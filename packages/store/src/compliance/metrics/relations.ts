import { devices } from './devices.ts';
import type { Relation } from './relation.ts';
import { userRelations } from './users.ts';

/** Every population whose subjects a rule counts. */
export const relations: readonly Relation[] = [...userRelations, devices];
