import type { ActorType, AiResource, EventAi } from '@tenantscope/contract';
import { type Activity, type Actor, noResource, type Resource } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { type Detail, type EventContext, noAi, noContext } from '../activity/event-context.ts';
import { addRemainingMembers, type ServedMembers } from '../activity/remaining-members.ts';
import { firstGuid } from '../field/guid.ts';
import { firstText, isObject, type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { sourceShapes } from '../source/source-shapes.ts';

/**
 * Interactions with Microsoft 365 Copilot as Graph exports them: a prompt or a response each, alone or in the `value` array of
 * a page. Bodies and attached cards are content: no field of a row is read from them.
 */
export const graphAiInteraction: ActivityFormat = {
  family: 'graph.aiInteraction',
  shape: sourceShapes['graph.aiInteraction'],
  normalise,
};

function normalise(record: JsonObject): Activity {
  const action = firstText(record.interactionType);
  const from = toObject(record.from);
  const actor = readSender(from);
  const host = readHost(firstText(record.appClass));
  const sender = toObject(from.application);
  return {
    time: record.createdDateTime,
    timeMember: 'createdDateTime',
    action,
    verdict: null,
    outcome: null,
    actor,
    actorIp: null,
    resource: readThread(record, host),
    workload: 'Copilot',
    sourceType: 'microsoft365',
    sourceName: 'aiInteraction',
    clientApp: host,
    device: { id: null, name: null, isManaged: null },
    application: { clientId: firstGuid(sender.id), displayName: toText(sender.displayName) },
    externalEventId: firstText(record.id),
    recordType: null,
    context: readContext(record, host),
  };
}

/** Users have an address of Teams (`8:orgid:…`) in place of a name. */
function readSender(from: JsonObject): Actor {
  const { user, application } = from;
  if (isObject(user)) {
    const name = toText(user.displayName);
    return {
      id: toText(user.id),
      name: name !== null && teamsAddress.test(name) ? null : name,
      type: userTypes.get(toText(user.userIdentityType)?.toLowerCase() ?? '') ?? 'user',
    };
  }
  if (!isObject(application)) return { id: null, name: null, type: 'unknown' };
  return { id: toText(application.id), name: toText(application.displayName), type: 'application' };
}

/** The application behind `IPM.SkypeTeams.Message.Copilot.Teams`. */
function readHost(appClass: string | null): string | null {
  return appClass === null ? null : appClass.slice(appClass.lastIndexOf('.') + 1) || null;
}

/** As for interactions of the unified audit log. */
function readThread(record: JsonObject, host: string | null): Resource {
  const thread = toText(record.sessionId);
  return thread === null ? noResource : { id: thread, name: host, type: 'copilotThread' };
}

function readContext(record: JsonObject, host: string | null): EventContext {
  const details: Detail[] = [];
  addRemainingMembers(details, record, servedMembers);
  return {
    ...noContext,
    category: firstText(record.appClass),
    sessionId: toText(record.sessionId),
    correlationId: toText(record.requestId),
    details,
    ai: readAi(record, host),
  };
}

/** Where the user was, what the response links to, and what was attached. */
function readAi(record: JsonObject, host: string | null): EventAi {
  const resources = [
    ...listResources(record.contexts, 'contextReference', 'displayName', 'contextType'),
    ...listResources(record.links, 'linkUrl', 'displayName', 'linkType'),
    ...listResources(record.attachments, 'contentUrl', 'name', 'contentType'),
  ];
  return { ...noAi, host, resources: resources.length === 0 ? null : resources };
}

function listResources(list: Json | undefined, id: string, name: string, type: string): AiResource[] {
  return toList(list).flatMap((each) => {
    const resource = toObject(each);
    const found = { id: toText(resource[id]), name: toText(resource[name]), type: toText(resource[type]) };
    return found.id === null ? [] : [{ ...found, sensitivityLabelId: null }];
  });
}

const teamsAddress = /^\d+:/;
const userTypes = new Map<string, ActorType>([
  ['anonymousguest', 'anonymous'],
  ['federateduser', 'guest'],
  ['personalmicrosoftaccountuser', 'guest'],
  ['emailuser', 'guest'],
]);
const servedMembers: ServedMembers = {
  id: true,
  createdDateTime: true,
  interactionType: true,
  sessionId: true,
  requestId: true,
  appClass: true,
  body: true,
  from: { user: { id: true }, application: { id: true, displayName: true } },
  contexts: { contextReference: true, displayName: true, contextType: true },
  links: { linkUrl: true, displayName: true, linkType: true },
  attachments: { content: true, contentUrl: true, name: true },
};
