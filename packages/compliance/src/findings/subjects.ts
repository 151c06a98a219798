import {
  requirementsAboutAccounts,
  requirementsAboutEvents,
  requirementsWithSubjects,
} from '@tenantscope/store/compliance';
import type { Requirement } from '../catalogue/requirement.ts';

const keys: ReadonlySet<string> = new Set(requirementsWithSubjects);

/** Whether a requirement's metrics count subjects, which its findings then list. */
export const hasSubjects = ({ key }: Requirement): boolean => keys.has(key);

const aboutAccounts: ReadonlySet<string> = new Set(requirementsAboutAccounts);

/** Whether a requirement's subjects are accounts of persons. */
export const isAboutAccounts = (key: string): boolean => aboutAccounts.has(key);

const aboutEvents: ReadonlySet<string> = new Set(requirementsAboutEvents);

/** Whether a requirement's population is counted in its subjects, unlike that of events that must not happen. */
export const hasPopulation = (key: string): boolean => !aboutEvents.has(key);
