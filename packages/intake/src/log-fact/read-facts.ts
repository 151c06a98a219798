import { agentLifecycle, lifecycleActions, looksLikeLifecycle } from './agent-lifecycle.ts';
import { aiInteraction, interactionActions } from './ai-interaction.ts';
import { consent, consentActions } from './consent.ts';
import { externalForwarding, forwardingActions } from './external-forwarding.ts';
import { type FactReader, factOf, type LogFact, type Told } from './log-fact.ts';
import { privilegedRole, roleActions } from './privileged-role.ts';

/**
 * What rules and evidence look at of a record, beside its row: nothing of nearly all. A hot path: one look-up by the action, and only
 * records whose action is known are read any further.
 */
export function readFacts(told: Told): readonly LogFact[] {
  const action = told.row.columns.action;
  const key = action.endsWith('.') ? action.slice(0, -1) : action;
  const read = readers.get(key) ?? (looksLikeLifecycle(key) ? agentLifecycle : undefined);
  const said = read?.(told) ?? null;
  return said === null ? none : [factOf(told, said)];
}

const readers: ReadonlyMap<string, FactReader> = new Map([
  ...forActions(aiInteraction, interactionActions),
  ...forActions(agentLifecycle, lifecycleActions),
  ...forActions(consent, consentActions),
  ...forActions(privilegedRole, roleActions),
  ...forActions(externalForwarding, forwardingActions),
]);

function forActions(reader: FactReader, actions: readonly string[]): (readonly [string, FactReader])[] {
  return actions.map((action) => [action, reader]);
}

const none: readonly LogFact[] = Object.freeze([]);
