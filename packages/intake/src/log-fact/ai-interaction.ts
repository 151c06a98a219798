import { firstGuid } from '../field/guid.ts';
import { firstText, isObject, type Json, type JsonObject, toBoolean, toList, toObject, toText } from '../json/value.ts';
import { isRefused, readAiResourceId } from '../microsoft/ai-interaction.ts';
import { getDetail } from '../severity/conditions.ts';
import { type FactReader, maxItems, toVisibleText } from './fact-reader.ts';

/** In lower case, as all actions in these files. */
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

/**
 * An interaction with an AI: the user, the agent, the resources it opened and the classifiers that fired. The record has
 * neither prompt nor response.
 */
export const aiInteraction: FactReader = ({ record, activity, row }) => {
  // What Gemini suggested or prepared of its own accord is no interaction of the user.
  if (getDetail(activity, 'event_category') === 'inactive') return null;
  const { actor, application, resource } = activity;
  const event = toObject(record.CopilotEventData);
  // Providers write GUIDs in both cases.
  const agentId = resource.type === 'agent' ? (firstGuid(resource.id) ?? toVisibleText(resource.id)) : null;
  const agentName = agentId === null ? null : toVisibleText(resource.name);
  const resources = toList(event.AccessedResources).filter(isObject).slice(0, maxItems);
  const jailbroken = toList(event.Messages).some((one) => toBoolean(toObject(one).JailbreakDetected) === true);
  const threats = [
    ...(jailbroken ? [{ threatType: 'jailbreak', outcome: 'detected' }] : []),
    ...resources.flatMap(listThreats),
  ];
  const appHost = toVisibleText(
    firstText(event.AppHost, record.AppHost, activity.context.ai?.host, activity.clientApp),
  );
  return {
    kind: 'aiInteraction',
    agentId,
    agentName,
    clientId: application.clientId,
    appHost,
    facts: {
      agentId,
      agentName,
      clientId: application.clientId,
      appHost,
      threadId: toVisibleText(firstText(event.ThreadId, record.ThreadId)),
      action: toVisibleText(activity.action),
      actorId: toVisibleText(actor.id),
      actorName: toVisibleText(actor.name),
      actorType: actor.type,
      isExternal: actor.type === 'guest',
      externalEventId: toVisibleText(activity.externalEventId),
      resources: resources.map(toResource),
      threats: threats.slice(0, maxItems),
      // Evidence of a threat shows the severity of its row, which it need not read.
      severity: threats.length > 0 ? row.columns.severity : null,
      model: toVisibleText(activity.context.ai?.model ?? null),
    },
  };
};

function toResource(resource: JsonObject) {
  return {
    id: toVisibleText(readAiResourceId(resource)),
    name: toVisibleText(toText(resource.Name)),
    type: toVisibleText(toText(resource.Type)),
    siteUrl: toVisibleText(toText(resource.SiteUrl), maxAddressLength),
    labelId: toVisibleText(toText(resource.SensitivityLabelId)),
    action: toVisibleText(toText(resource.Action)),
  };
}

/** "Detected" means that a classifier fired: only a status shows that anything was blocked. */
function listThreats(resource: JsonObject) {
  const refused = isRefused(resource);
  const named = {
    resourceId: toVisibleText(readAiResourceId(resource)),
    resourceName: toVisibleText(toText(resource.Name)),
  };
  const threats = [];
  if (toBoolean(resource.XPIADetected) === true)
    threats.push({ threatType: 'xpia', ...named, outcome: refused ? 'blocked' : 'detected' });
  if (hasContent(resource.PolicyDetails) && (refused || resource.Status === undefined))
    threats.push({ threatType: 'policyBlock', ...named, outcome: refused ? 'blocked' : 'unknown' });
  return threats;
}

/** Policy details may be absent, an empty text, an empty object, a list. */
function hasContent(details: Json | undefined): boolean {
  if (Array.isArray(details)) return details.length > 0;
  return isObject(details) ? Object.keys(details).length > 0 : toText(details) !== null;
}

const maxAddressLength = 1_024;
