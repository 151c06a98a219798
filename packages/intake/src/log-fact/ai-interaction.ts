import { booleanOf, firstText, isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { type FactReader, mostItems, shown } from './log-fact.ts';

/** In lower case, as all actions here. */
export const interactionActions = [
  'copilotinteraction',
  'aiappinteraction',
  'connectedaiappinteraction',
  'teamcopilotinteraction',
  'aiinvokeagent',
  'aiexecutetool',
  'aiinferencecall',
  'feature_utilization',
];

/** An interaction with an AI: who, by which agent, what it opened, and which classifiers fired. The record holds no text of either side. */
export const aiInteraction: FactReader = ({ record, activity }) => {
  const { actor, application, resource } = activity;
  const event = objectOf(record.CopilotEventData);
  const agentId = resource.type === 'agent' ? shown(resource.id) : null;
  const resources = listOf(event.AccessedResources).filter(isObject).slice(0, mostItems);
  const jailbroken = listOf(event.Messages).some((one) => booleanOf(objectOf(one).JailbreakDetected) === true);
  const threats = [
    ...(jailbroken ? [{ threatType: 'jailbreak', outcome: 'detected' }] : []),
    ...resources.flatMap(threatsOf),
  ];
  const model = objectOf(listOf(event.ModelTransparencyDetails)[0]);
  return {
    kind: 'aiInteraction',
    agentId,
    facts: {
      agentId,
      agentName: agentId === null ? null : shown(resource.name),
      clientId: application.clientId,
      appHost: shown(firstText(event.AppHost, record.AppHost, activity.clientApp)),
      threadId: shown(firstText(event.ThreadId, record.ThreadId)),
      action: shown(activity.action),
      actorId: shown(actor.id),
      actorName: shown(actor.name),
      actorType: actor.type,
      isExternal: actor.type === 'guest',
      externalEventId: shown(activity.externalEventId),
      resources: resources.map(resourceOf),
      threats: threats.slice(0, mostItems),
      model: shown(firstText(model.ModelName, model.ModelProviderName)),
    },
  };
};

function resourceOf(resource: JsonObject) {
  return {
    id: shown(idOf(resource)),
    name: shown(textOf(resource.Name)),
    type: shown(textOf(resource.Type)),
    siteUrl: shown(textOf(resource.SiteUrl), longestAddress),
    labelId: shown(textOf(resource.SensitivityLabelId)),
    action: shown(textOf(resource.Action)),
  };
}

/** «Detected» means that a classifier fired: that anything was blocked says only a status. */
function threatsOf(resource: JsonObject) {
  const refused = failures.has(textOf(resource.Status)?.toLowerCase() ?? '');
  const named = { resourceId: shown(idOf(resource)), resourceName: shown(textOf(resource.Name)) };
  const threats = [];
  if (booleanOf(resource.XPIADetected) === true)
    threats.push({ threatType: 'xpia', ...named, outcome: refused ? 'blocked' : 'detected' });
  if (saysAnything(resource.PolicyDetails) && (refused || resource.Status === undefined))
    threats.push({ threatType: 'policyBlock', ...named, outcome: refused ? 'blocked' : 'unknown' });
  return threats;
}

/** The id that files are known by, where there is one. */
function idOf(resource: JsonObject): string | null {
  return firstText(resource.listItemUniqueId, resource.ListItemUniqueId, resource.Id, resource.ID);
}

/** Policy details may be absent, an empty text, an empty object, a list. */
function saysAnything(details: Json | undefined): boolean {
  if (Array.isArray(details)) return details.length > 0;
  return isObject(details) ? Object.keys(details).length > 0 : textOf(details) !== null;
}

const failures: ReadonlySet<string> = new Set(['failure', 'failed', 'blocked', 'denied']);
const longestAddress = 1_024;
