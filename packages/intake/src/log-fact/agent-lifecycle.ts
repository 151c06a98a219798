import { namedValue } from '../field/named-value.ts';
import { maskSecretText } from '../field/secret-text.ts';
import { bounded } from '../field/text.ts';
import { firstText, type Json, type JsonObject, listOf, objectOf } from '../json/value.ts';
import { recordTypes } from '../microsoft/record-type.ts';
import { auditBody, changedProperties, changedTo } from './changed-properties.ts';
import { type FactReader, shown, type Told } from './log-fact.ts';

const events = {
  create: ['botcreate', 'createdagent', 'createplugin', 'createcopilotplugin'],
  update: ['updatedagent', 'updatedtenantsettings', 'updateplugin', 'updatecopilotplugin', 'botappinsightsupdate'],
  publish: ['botupdateoperation-botpublish', 'publishedagent'],
  share: ['botupdateoperation-botshare', 'sharedagent'],
  deploy: ['deployedagent'],
  undeploy: ['removedagent'],
  block: ['blockedagent', 'disableplugin', 'disablecopilotplugin'],
  unblock: ['unblockedagent', 'enableplugin', 'enablecopilotplugin'],
  delete: ['botdelete', 'botdeletecleanup', 'deletedagent', 'deleteplugin', 'deletecopilotplugin'],
} as const;
type LifecycleEvent = keyof typeof events;

/** Changes of the directory, which are about an agent only where the record says so. */
const directoryEvents: readonly (readonly [action: string, event: LifecycleEvent])[] = [
  ...['add application', 'add service principal', 'add user'].map((action) => [action, 'create'] as const),
  ...['update application', 'update service principal'].map((action) => [action, 'update'] as const),
  ...['delete application', 'delete service principal', 'remove service principal'].map(
    (action) => [action, 'delete'] as const,
  ),
];
const eventOfDirectory: ReadonlyMap<string, LifecycleEvent> = new Map(directoryEvents);
const eventOfAction: ReadonlyMap<string, LifecycleEvent> = new Map(
  Object.entries(events).flatMap(([event, actions]) => actions.map((action) => [action, event as LifecycleEvent])),
);

export const lifecycleActions = [...eventOfAction.keys(), ...eventOfDirectory.keys()];

/** Operations that come in families: whatever else is done to an agent or to a part of it is an update. */
export function looksLikeLifecycle(action: string): boolean {
  return families.test(action);
}
const families = /^(?:botupdateoperation-|botcomponent|aipluginoperation|environmentvariable)/;

/** What was done to an agent itself. */
export const agentLifecycle: FactReader = (told) => {
  const { record, activity, row } = told;
  const action = row.columns.action.replace(/\.$/, '');
  const inDirectory = eventOfDirectory.get(action);
  if (inDirectory !== undefined && !isAboutAgent(record)) return null;
  const properties = record.PropertyCollection;
  const named = firstText(
    record.BotId,
    record.AgentId,
    record.AgentID,
    record.PluginId,
    namedValue(properties, 'powerplatform.analytics.resource.bot.id'),
    namedValue(properties, 'BotId'),
  );
  // Variables of an environment belong to anything in it.
  if (named === null && action.startsWith('environmentvariable')) return null;
  const agentId = shown(named ?? activity.resource.id);
  const name = firstText(
    record.BotName,
    record.AgentName,
    record.PluginName,
    namedValue(properties, 'powerplatform.analytics.resource.bot.name'),
    activity.resource.name ?? undefined,
  );
  const { actor, outcome } = activity;
  return {
    kind: 'agentLifecycle',
    agentId,
    facts: {
      event: inDirectory ?? eventOfAction.get(action) ?? 'update',
      operation: shown(activity.action),
      agentId,
      agentName: shown(name),
      actor: { id: shown(actor.id), name: shown(actor.name), type: actor.type },
      source: sourceOf(told, action),
      details: detailsOf(record),
      result: outcome === 'success' || outcome === 'failure' ? outcome : 'unknown',
      externalEventId: shown(activity.externalEventId),
    },
  };
};

/** Whether a change of the directory says of its target that it is an agent's. */
function isAboutAgent(record: JsonObject): boolean {
  const body = auditBody(record);
  const targets = listOf(body.targetResources).map(objectOf);
  const type = firstText(
    record.AgentType,
    body.agentType,
    ...targets.map(({ agentType }) => agentType),
    namedValue(body.additionalDetails, 'agentType'),
    namedValue(body.additionalDetails, 'AgentType'),
    namedValue(record.ExtendedProperties, 'agentType'),
    changedTo(record, 'AgentType') ?? undefined,
  );
  return type !== null && type !== 'notAgentic';
}

function sourceOf({ activity }: Told, action: string): string {
  if (activity.sourceType === 'entra' || activity.workload === 'AzureActiveDirectory') return 'entra';
  if (
    activity.recordType === recordTypes.PowerPlatformAdministratorActivity ||
    /^PowerPlatform/i.test(activity.workload ?? '') ||
    action.startsWith('bot')
  )
    return 'powerPlatform';
  return /agent$|plugin$|tenantsettings$/.test(action) ? 'microsoft365AdminCenter' : 'other';
}

/** What changed, as recorded; of texts that people write for the agent only that they changed. */
function detailsOf(record: JsonObject) {
  const property = firstText(record.Property);
  const isProse = property !== null && prose.test(property);
  const members: readonly (readonly [string, Json | undefined])[] = [
    ['agentType', record.AgentType],
    ['agentVersion', record.AgentVersion],
    ['environmentId', firstText(record.EnvironmentId, namedValue(record.PropertyCollection, 'EnvironmentId'))],
    ['environmentName', record.EnvironmentName],
    ['forAllUsers', record.ForAllUsers],
    ['property', property],
    ['oldValue', isProse ? null : record.OldValue],
    ['newValue', isProse ? null : record.NewValue],
  ];
  const told = members.flatMap(([name, value]) => {
    const text = typeof value === 'boolean' ? String(value) : firstText(value);
    return text === null ? [] : [[name, withoutSecrets(text)]];
  });
  const changed = changedProperties(record)
    .slice(0, mostChanges)
    .map(({ name, from, to }) => {
      const value = (text: string | null) => (text === null || prose.test(name) ? null : withoutSecrets(text));
      return { name: shown(name), from: value(from), to: value(to) };
    });
  return { ...(Object.fromEntries(told) as JsonObject), ...(changed.length > 0 ? { changed } : {}) };
}

/** Cut before it is searched for secrets: what is kept is far shorter. */
function withoutSecrets(text: string): string | null {
  return shown(maskSecretText(bounded(text, longestSearched)), longestValue);
}

const prose = /instruction|prompt|description|message|topic|content/i;
const longestValue = 256;
const longestSearched = 4_096;
const mostChanges = 20;
