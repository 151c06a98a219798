import type { Company, Person } from '../company.ts';
import { type InfoType, listInfoTypes } from '../info-types.ts';
import { deriveNumber } from '../random.ts';
import { derivePick, findRestriction } from './file-attributes.ts';

export type RestrictionLevel = 'monitored' | 'noAiAccess' | 'noAccess';

/** A restricted kind of content with its restriction history. */
export interface Restriction {
  readonly type: InfoType;
  readonly by: Person;
  readonly steps: readonly RestrictionStep[];
}

export interface RestrictionStep {
  readonly event: 'declare' | 'modify' | 'lift';
  readonly atMs: number;
  readonly from: RestrictionLevel | null;
  readonly to: RestrictionLevel | null;
  readonly reason: string;
}

/** Restrictions of a company: those in force, some of them raised later, and one that was lifted. */
export function listRestrictions(company: Company, endMs: number): Restriction[] {
  return listInfoTypes(company.plan).flatMap((type) => {
    const steps = listSteps(type, endMs);
    return steps.length === 0 ? [] : [{ type, steps, by: derivePick(company.admins, type.id, 'declared') }];
  });
}

function listSteps(type: InfoType, endMs: number): RestrictionStep[] {
  const level = findRestriction(type);
  const day = deriveNumber(12, type.id, 'declared');
  const ago = (days: number) => endMs - (days + day) * 86_400_000;
  const declared = (to: RestrictionLevel, days: number): RestrictionStep => ({
    event: 'declare',
    atMs: ago(days),
    from: null,
    to,
    reason: 'Policy on data and AI',
  });
  const raised = (from: RestrictionLevel, to: RestrictionLevel, days: number): RestrictionStep => ({
    event: 'modify',
    atMs: ago(days),
    from,
    to,
    reason: 'Assistants kept reading it',
  });
  if (type.name === 'IP Address')
    return [
      declared('monitored', 70),
      { event: 'lift', atMs: ago(18), from: 'monitored', to: null, reason: 'Too many harmless matches' },
    ];
  switch (level) {
    case 'none':
      return [];
    case 'noAccess':
      return [declared('noAiAccess', 52), raised('noAiAccess', 'noAccess', 14)];
    case 'noAiAccess':
      return type.isCustom
        ? [declared('noAiAccess', 28)]
        : [declared('monitored', 44), raised('monitored', 'noAiAccess', 9)];
    case 'monitored':
      return [declared('monitored', 36)];
  }
}
