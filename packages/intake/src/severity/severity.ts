import { type ActorType, type Severity, severities } from '@tenantscope/contract';
import type { Ending } from '../field/ending.ts';
import { type Json, type JsonObject, textOf } from '../json/value.ts';
import { type SeverityRule, severityRules } from './rules.ts';

/** What severity is decided from. */
export interface Occurrence {
  readonly action: string | null;
  readonly record: JsonObject;
  readonly actorType: ActorType;
  readonly ending: Ending | null;
  /** The provider's own severity; it wins where there is one. */
  readonly upstream: Severity | null;
}

/**
 * The provider's severity, else the gravest rule for the action whose condition holds, else `low` for what changes something
 * and `informational` for reads and for the provider's own machinery, which is two thirds of a small tenant's log.
 */
export function severityOf(occurrence: Occurrence): Severity {
  const { action, upstream } = occurrence;
  if (upstream !== null || action === null) return upstream ?? 'informational';
  for (const rule of rulesByAction.get(keyOf(action)) ?? []) {
    if (rule.when === undefined || rule.when(occurrence)) return rule.severity;
  }
  return occurrence.actorType !== 'system' && changesSomething(action) ? 'low' : 'informational';
}

/** A provider's word for a severity, in any letter case; null for any other word. */
export function severityNamed(value: Json | undefined): Severity | null {
  const name = textOf(value)?.toLowerCase();
  return severities.find((severity) => severity === name) ?? null;
}

export function highest(found: readonly (Severity | null)[]): Severity | null {
  return severities.findLast((severity) => found.includes(severity)) ?? null;
}

/** Whether one of the words of an action («Set-Mailbox», «FileModifiedExtended», «password_edit») says so. */
function changesSomething(action: string): boolean {
  return action.split(wordBoundary).some((word) => changeVerbs.has(word.toLowerCase()));
}

/** `Add member to role.` and `Add member to role` are one action. */
function keyOf(action: string): string {
  const lower = action.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

const rulesByAction = new Map<string, SeverityRule[]>();
for (const severity of severities.toReversed()) {
  for (const rule of severityRules.filter((each) => each.severity === severity)) {
    for (const action of rule.actions) {
      rulesByAction.set(keyOf(action), [...(rulesByAction.get(keyOf(action)) ?? []), rule]);
    }
  }
}

const wordBoundary = /[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/;
const changeVerbs: ReadonlySet<string> = new Set(
  `add added approve assign assigned assignment block blocked change changed consent copied create created creation
  delete deleted deletion disable disabled edit enable enabled enroll grant harddelete import insert install invite move
  moved modified new recycled register remove removed rename renamed reset restore restored revoke revoked send set shared
  softdelete suspend toggle transfer trash undelete unenroll unsuspend update updated upload uploaded wipe wiped`.split(
    /\s+/,
  ),
);
