import type { Activity } from './activity.ts';
import { findPhrase, type Phrase } from './phrases.ts';

/**
 * One English sentence built from the record's names alone: never from message bodies, prompts or parameters. The same record
 * always gives the same sentence. What failed or was blocked never reads as done.
 */
export function describeActivity(activity: Activity, action: string): string {
  const { actor, resource, workload } = activity;
  const actorName = actor.name ?? actorNouns[actor.type];
  const resourceName = resource.name ?? resource.id;
  const phrase = findPhrase(action);
  const [verb, end] = chooseForm(phrase, activity);
  const object = resourceName === null || phrase.link === null ? '' : `${phrase.link} ${resourceName}`;
  return `${actorName} ${verb}${object}${workload === null ? '' : ` in ${workload}`}${end}.`;
}

/** The verb phrase, and how the sentence ends. Without an outcome the provider reports what took place. */
function chooseForm(phrase: Phrase, activity: Activity): readonly [verb: string, end: string] {
  if (activity.isBlocked === true || activity.context.ai?.blocked === true) {
    return phrase.blocked === undefined
      ? [`tried to ${phrase.infinitive}`, ', which was blocked']
      : [phrase.blocked, ''];
  }
  if (activity.outcome === 'failure') return [`failed to ${phrase.infinitive}`, ''];
  if (activity.outcome === 'partial') return [`tried to ${phrase.infinitive}`, ', which succeeded in part'];
  return [activity.outcome === null ? (phrase.unknown ?? phrase.done) : phrase.done, ''];
}

const actorNouns = {
  user: 'A user',
  guest: 'A guest',
  servicePrincipal: 'A service principal',
  application: 'An application',
  agent: 'An agent',
  system: 'The system',
  policy: 'A policy',
  partner: 'A partner',
  anonymous: 'An anonymous user',
  unknown: 'An unknown actor',
} as const;
