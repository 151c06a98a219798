import { findWorkingDayBefore } from '../activity-times.ts';
import type { Company } from '../company.ts';

/** When a company's storyline began, in a history that ends at `endMs`. */
export function storylineStartMs(company: Company, endMs: number): number {
  return findWorkingDayBefore(endMs, 3, 9, 12, company.plan.utcOffsetHours);
}
