import { requirementsWithSubjects } from '@tenantscope/store/compliance';
import type { Requirement } from '../catalogue/requirement.ts';

const keys: ReadonlySet<string> = new Set(requirementsWithSubjects);

/** Whether a requirement's metrics count subjects, which its findings then list. */
export const hasSubjects = ({ key }: Requirement): boolean => keys.has(key);
