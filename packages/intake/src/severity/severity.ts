import { type Severity, severities } from '@tenantscope/contract';
import type { Activity } from '../activity/activity.ts';
import { type Json, type JsonObject, toText } from '../json/value.ts';
import { severityRules } from './rules.ts';
import type { SeverityRule } from './severity-rule.ts';

/**
 * The higher of the provider's verdict and the most severe rule for the action whose condition is met; without a rule,
 * `low` for changes and `informational` for reads and for the provider's own services, which are two thirds of a small
 * tenant's log.
 */
export function rateSeverity(activity: Activity, record: JsonObject): Severity {
  const rated = rateAction(activity, record);
  const { verdict } = activity;
  return verdict !== null && severities.indexOf(verdict) > severities.indexOf(rated) ? verdict : rated;
}

function rateAction(activity: Activity, record: JsonObject): Severity {
  const { action } = activity;
  if (action === null) return 'informational';
  const { rules, isChange } = findActionFacts(action);
  if (rules !== undefined) {
    for (const { rule, severity } of isPrevented(activity) ? rules.ofPrevented : rules.ofDone) {
      if (rule.when === undefined || rule.when(activity, record)) return severity;
    }
  }
  return isChange && activity.actor.type !== 'system' ? 'low' : 'informational';
}

/** Names repeat: what follows from one is remembered, which halves the cost of a record. */
function findActionFacts(action: string): ActionFacts {
  const cached = actionFacts.get(action);
  if (cached !== undefined) return cached;
  const facts = { rules: rulesByAction.get(toRuleKey(action)), isChange: changesSomething(action) };
  if (actionFacts.size < actionFactsMax && action.length <= actionMax) actionFacts.set(action, facts);
  return facts;
}

interface ActionFacts {
  readonly rules: ActionRules | undefined;
  readonly isChange: boolean;
}

/** A tenant can send any name, so that the memory is bounded. */
const actionFacts = new Map<string, ActionFacts>();
const actionFactsMax = 4_096;
const actionMax = 128;

/** Nothing was changed: the action failed, or a policy prevented it. */
function isPrevented({ outcome, isBlocked, context }: Activity): boolean {
  return outcome === 'failure' || isBlocked === true || context.ai?.blocked === true;
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

/** A rule with the severity that it gives. */
interface Rating {
  readonly rule: SeverityRule;
  readonly severity: Severity;
}

/** The rules of one action, the most severe first. */
interface ActionRules {
  readonly ofDone: readonly Rating[];
  readonly ofPrevented: readonly Rating[];
}

/** An attempt shows intent and changes nothing: never above medium, never as severe as what was done. */
const attempted: Readonly<Record<Severity, Severity>> = {
  critical: 'medium',
  high: 'medium',
  medium: 'low',
  low: 'low',
  informational: 'informational',
};

function groupByAction(rules: readonly SeverityRule[]): Map<string, ActionRules> {
  const groups = new Map<string, SeverityRule[]>();
  for (const rule of rules) {
    for (const key of new Set(rule.actions.map(toRuleKey))) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [rule]);
      else group.push(rule);
    }
  }
  return new Map(
    [...groups].map(([key, group]) => [
      key,
      {
        ofDone: sortRatings(group.map((rule) => ({ rule, severity: rule.severity }))),
        ofPrevented: sortRatings(
          group.map((rule) => ({ rule, severity: rule.ofAttempts ? rule.severity : attempted[rule.severity] })),
        ),
      },
    ]),
  );
}

function sortRatings(ratings: readonly Rating[]): Rating[] {
  return ratings.toSorted((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity));
}

const wordBoundary = /[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/;
const changeVerbs: ReadonlySet<string> = new Set(
  `add added approve assign assigned assignment block blocked change changed consent copied create created creation
  delete deleted deletion disable disabled edit enable enabled enroll enrolled grant harddelete import insert install invite move
  moved modified new recycled register remove removed rename renamed reset restore restored revoke revoked send set shared
  softdelete suspend toggle transfer trash undelete unenroll unsuspend update updated upload uploaded wipe wiped write`.split(
    /\s+/,
  ),
);
/** Built once: a record looks up its action and evaluates the conditions of that action alone. */
const rulesByAction = groupByAction(severityRules);
