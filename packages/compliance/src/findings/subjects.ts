import { requirementsWithPopulation, requirementsWithSubjects } from '@tenantscope/store/compliance';
import type { Requirement } from '../catalogue/requirement.ts';

const keys: ReadonlySet<string> = new Set(requirementsWithSubjects);

/** Whether a requirement's metrics count subjects, which its findings then list. */
export const hasSubjects = ({ key }: Requirement): boolean => keys.has(key);

const keysWithPopulation: ReadonlySet<string> = new Set(requirementsWithPopulation);

/** Whether the population of a requirement is counted in its subjects: of events that must not happen only the faulty ones are known. */
export const hasPopulation = (key: string): boolean => keysWithPopulation.has(key);
