import { agentLifecycle, isLifecycleAction, lifecycleActions } from './agent-lifecycle.ts';
import { aiInteraction, interactionActions } from './ai-interaction.ts';
import { consent, consentActions } from './consent.ts';
import { externalForwarding, forwardingActions } from './external-forwarding.ts';
import { type FactInput, type FactReader, serializeFact } from './fact-reader.ts';
import type { LogFact } from './log-fact.ts';
import { privilegedRole, roleActions } from './privileged-role.ts';

/**
 * The facts of a record that rules and evidence read besides its row; nearly all records have no fact. A hot path: one
 * look-up by action, and only records with a listed action are read further.
 *
 * Events of Defender have none: they repeat records of the Management Activity API, and a tenant with both feeds would have
 * each interaction, consent and role twice.
 */
export function readFacts(input: FactInput): readonly LogFact[] {
  if (input.activity.sourceType === 'defender') return noFacts;
  const action = input.row.columns.action;
  const key = action.endsWith('.') ? action.slice(0, -1) : action;
  const read = readers.get(key) ?? (isLifecycleAction(key) ? agentLifecycle : undefined);
  const fact = read?.(input) ?? null;
  return fact === null ? noFacts : [serializeFact(input, fact)];
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

const noFacts: readonly LogFact[] = Object.freeze([]);
