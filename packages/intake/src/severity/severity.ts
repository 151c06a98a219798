import { type Severity, severities } from '@tenantscope/contract';
import { type Json, toText } from '../json/value.ts';
import { type SeverityRule, severityRules } from './rules.ts';
import type { SeverityInput } from './severity-input.ts';

/**
 * The higher of the provider's severity and that of the most severe rule for the action whose condition is met; without a
 * rule, `low` for changes and `informational` for reads and for the provider's own services, which are two thirds of a small
 * tenant's log.
 */
export function rateSeverity(input: SeverityInput): Severity {
  const rated = rateAction(input);
  const { upstream } = input;
  return upstream !== null && severities.indexOf(upstream) > severities.indexOf(rated) ? upstream : rated;
}

function rateAction(input: SeverityInput): Severity {
  const { action } = input;
  if (action === null) return 'informational';
  for (const rule of rulesByAction.get(toRuleKey(action)) ?? []) {
    if (rule.when === undefined || rule.when(input)) return rule.severity;
  }
  return input.actorType !== 'system' && changesSomething(action) ? 'low' : 'informational';
}

/** Parses a provider's severity, case-insensitively; null for an unlisted value. */
export function parseSeverity(value: Json | undefined): Severity | null {
  const name = toText(value)?.toLowerCase();
  return severities.find((severity) => severity === name) ?? null;
}

export function findHighest(found: readonly (Severity | null)[]): Severity | null {
  return severities.findLast((severity) => found.includes(severity)) ?? null;
}

/** Whether one of the words of an action (`Set-Mailbox`, `FileModifiedExtended`, `password_edit`) is a verb of change. */
function changesSomething(action: string): boolean {
  return action.split(wordBoundary).some((word) => changeVerbs.has(word.toLowerCase()));
}

/** `Add member to role.` and `Add member to role` are one action. */
function toRuleKey(action: string): string {
  const lower = action.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

const rulesByAction = new Map<string, SeverityRule[]>();
for (const severity of severities.toReversed()) {
  for (const rule of severityRules.filter((each) => each.severity === severity)) {
    for (const action of rule.actions) {
      rulesByAction.set(toRuleKey(action), [...(rulesByAction.get(toRuleKey(action)) ?? []), rule]);
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
