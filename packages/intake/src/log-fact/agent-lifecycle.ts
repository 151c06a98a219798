import { maskSecretText } from '../field/mask-secret-text.ts';
import { isMaskedName, isSwitch, maskedText } from '../field/mask-secrets.ts';
import { findNamedValue } from '../field/named-value.ts';
import { truncateText } from '../field/text.ts';
import { firstText, type Json, type JsonObject, toList, toObject } from '../json/value.ts';
import { recordTypes } from '../microsoft/record-type.ts';
import { findNewValue, readAuditBody, readChangedProperties } from './changed-properties.ts';
import { type FactInput, type FactReader, toVisibleText } from './fact-reader.ts';

const actionsByEvent = {
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
type LifecycleEvent = keyof typeof actionsByEvent;

/** Changes of the directory, which concern an agent only where the record marks it as one. */
const directoryEvents: readonly (readonly [action: string, event: LifecycleEvent])[] = [
  ...['add application', 'add service principal', 'add user'].map((action) => [action, 'create'] as const),
  ...['update application', 'update service principal'].map((action) => [action, 'update'] as const),
  ...['delete application', 'delete service principal', 'remove service principal'].map(
    (action) => [action, 'delete'] as const,
  ),
];
const eventOfDirectory: ReadonlyMap<string, LifecycleEvent> = new Map(directoryEvents);
const eventOfAction: ReadonlyMap<string, LifecycleEvent> = new Map(
  Object.entries(actionsByEvent).flatMap(([event, actions]) =>
    actions.map((action) => [action, event as LifecycleEvent]),
  ),
);

export const lifecycleActions = [...eventOfAction.keys(), ...eventOfDirectory.keys()];

/** Operations that come in families: any other operation on an agent or a part of it is an update. */
export function isLifecycleAction(action: string): boolean {
  return lifecycleFamilies.test(action);
}
const lifecycleFamilies = /^(?:botupdateoperation-|botcomponent|aipluginoperation|environmentvariable)/;

/** A lifecycle event of an agent. */
export const agentLifecycle: FactReader = (input) => {
  const { record, activity, row } = input;
  const action = row.columns.action.replace(/\.$/, '');
  const inDirectory = eventOfDirectory.get(action);
  if (inDirectory !== undefined && !isAboutAgent(record)) return null;
  const properties = record.PropertyCollection;
  const named = firstText(
    record.BotId,
    record.AgentId,
    record.AgentID,
    record.PluginId,
    findNamedValue(properties, 'powerplatform.analytics.resource.bot.id'),
    findNamedValue(properties, 'BotId'),
  );
  // Environment variables may belong to anything in the environment.
  if (named === null && action.startsWith('environmentvariable')) return null;
  const agentId = toVisibleText(named ?? activity.resource.id);
  const name = firstText(
    record.BotName,
    record.AgentName,
    record.PluginName,
    findNamedValue(properties, 'powerplatform.analytics.resource.bot.name'),
    activity.resource.name ?? undefined,
  );
  const { actor, outcome } = activity;
  const event = inDirectory ?? eventOfAction.get(action) ?? 'update';
  return {
    kind: 'agentLifecycle',
    agentId,
    event,
    facts: {
      event,
      operation: toVisibleText(activity.action),
      agentId,
      agentName: toVisibleText(name),
      actor: { id: toVisibleText(actor.id), name: toVisibleText(actor.name), type: actor.type },
      source: readSource(input, action),
      details: readDetails(record),
      result: outcome === 'success' || outcome === 'failure' ? outcome : 'unknown',
      externalEventId: toVisibleText(activity.externalEventId),
    },
  };
};

/** Whether a change of the directory marks its target as an agent. */
function isAboutAgent(record: JsonObject): boolean {
  const body = readAuditBody(record);
  const targets = toList(body.targetResources).map(toObject);
  const type = firstText(
    record.AgentType,
    body.agentType,
    ...targets.map(({ agentType }) => agentType),
    findNamedValue(body.additionalDetails, 'agentType'),
    findNamedValue(body.additionalDetails, 'AgentType'),
    findNamedValue(record.ExtendedProperties, 'agentType'),
    findNewValue(record, 'AgentType') ?? undefined,
  );
  return type !== null && type !== 'notAgentic';
}

function readSource({ activity }: FactInput, action: string): string {
  if (activity.sourceType === 'entra' || activity.workload === 'AzureActiveDirectory') return 'entra';
  if (
    activity.recordType === recordTypes.PowerPlatformAdministratorActivity ||
    /^PowerPlatform/i.test(activity.workload ?? '') ||
    action.startsWith('bot')
  )
    return 'powerPlatform';
  return /agent$|plugin$|tenantsettings$/.test(action) ? 'microsoft365AdminCenter' : 'other';
}

/** The change as recorded; of prose, such as instructions, only that it changed. */
function readDetails(record: JsonObject) {
  const property = firstText(record.Property);
  const isProse = property !== null && prosePattern.test(property);
  const members: readonly (readonly [string, Json | undefined])[] = [
    ['agentType', record.AgentType],
    ['agentVersion', record.AgentVersion],
    ['environmentId', firstText(record.EnvironmentId, findNamedValue(record.PropertyCollection, 'EnvironmentId'))],
    ['environmentName', record.EnvironmentName],
    ['forAllUsers', record.ForAllUsers],
    ['property', property],
    ['oldValue', isProse ? null : record.OldValue],
    ['newValue', isProse ? null : record.NewValue],
  ];
  const values = members.flatMap(([name, value]) => {
    const text = typeof value === 'boolean' ? String(value) : firstText(value);
    return text === null ? [] : [[name, maskValue(name.endsWith('Value') ? property : name, text)]];
  });
  const changed = readChangedProperties(record)
    .slice(0, maxChanges)
    .map(({ name, from, to }) => {
      const value = (text: string | null) => (text === null || prosePattern.test(name) ? null : maskValue(name, text));
      return { name: toVisibleText(name), from: value(from), to: value(to) };
    });
  return { ...(Object.fromEntries(values) as JsonObject), ...(changed.length > 0 ? { changed } : {}) };
}

/** Truncated before the search for secrets: the stored value is far shorter. */
function maskValue(name: string | null, text: string): string | null {
  if (name !== null && isMaskedName(name) && !isSwitch(text)) return maskedText;
  return toVisibleText(maskSecretText(truncateText(text, maxSearchedLength)), maxValueLength);
}

const prosePattern = /instruction|prompt|description|message|topic|content/i;
const maxValueLength = 256;
const maxSearchedLength = 4_096;
const maxChanges = 20;
