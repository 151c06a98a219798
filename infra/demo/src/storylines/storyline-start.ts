import type { Company } from '../company.ts';
import { workingDayBefore } from '../rhythm.ts';

/** When a company's storyline began, in a history that ends at `endMs`. */
export function storylineStartMs(company: Company, endMs: number): number {
  return workingDayBefore(endMs, 3, 9, 12, company.plan.utcOffsetHours);
}
