import type { ActorType, EventTarget } from '@tenantscope/contract';
import type { Actor, Resource } from '../activity/activity.ts';
import type { Detail } from '../activity/event-context.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { toOutcome } from '../field/action-result.ts';
import { firstGuid } from '../field/guid.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, isObject, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { readResult } from '../microsoft/action-result.ts';
import { decodeInteraction } from '../microsoft/ai-interaction.ts';
import { readDetails } from '../microsoft/context/details.ts';
import { readNamedContext } from '../microsoft/context/event-context.ts';
import { listShownValues } from '../microsoft/context/shown-values.ts';
import { readRecordType } from '../microsoft/record-type.ts';
import { readUpstreamSeverity } from '../microsoft/severity.ts';
import { readPersonType } from './account.ts';
import { readLocation } from './identity-tables.ts';
import { noDevice, type TableReader } from './table-reading.ts';

/**
 * Activity in cloud applications. `RawEventData` is the record of the application itself, for Microsoft 365 the one that
 * the Management Activity API has too: the row stays an event of Defender, and both are rows. It is read as that API's, so
 * that a row shows and masks the same in both.
 */
export const readCloudAppEvent: TableReader = (row) => {
  const raw = decodeInteraction(toObject(row.json('RawEventData')));
  row.markShown('RawEventData');
  const recordType = readRecordType(raw.RecordType);
  const ownContext = readNamedContext(raw, recordType);
  const userAgent = row.text('UserAgent') ?? ownContext.userAgent;
  const targets = listTargets(row);
  const parts = {
    actor: readActor(row),
    actorIp: row.address('IPAddress'),
    resource: readResource(row, targets),
    clientApp: parseUserAgentProduct(userAgent) ?? row.text('DeviceType'),
    device: noDevice,
    application: { clientId: firstGuid(row.columns.OAuthAppId), displayName: row.text('Application') },
  };
  const context = {
    ...ownContext,
    // That of the table.
    category: null,
    userAgent,
    deviceOs: row.text('OSPlatform') ?? ownContext.deviceOs,
    location: readLocation(row) ?? ownContext.location,
    targets: targets.length > 0 ? targets : ownContext.targets,
  };
  const action = toText(row.columns.ActionType);
  const details = [
    ...listServedMembers(raw, action),
    ...readDetails(raw, listShownValues(parts, context), context.targets),
  ];
  return {
    ...parts,
    outcome: toOutcome(readResult(raw, recordType, toText(raw.Operation) ?? action)),
    upstream: readUpstreamSeverity(raw),
    record: raw,
    context: { ...context, details: nameAfterColumn(details) },
  };
};

/** What a row of the Management Activity API shows as members of its own. */
function listServedMembers(raw: JsonObject, action: string | null): Detail[] {
  return ['Id', 'Operation', 'Workload'].flatMap((name) => {
    const value = toText(raw[name]);
    return value === null || value === action ? [] : [[name, value] as const];
  });
}

/** `RawEventData.Id`; the first names only, so that they leave room for the columns of the table. */
function nameAfterColumn(details: readonly Detail[]): Detail[] {
  const names = new Set([...new Set(details.map(([name]) => name))].slice(0, rawNamesMax));
  return details.filter(([name]) => names.has(name)).map(([name, value]) => [`RawEventData.${name}`, value]);
}

function readActor(row: RowReader): Actor {
  const id = row.text('AccountObjectId', 'AccountId');
  const name = row.text('AccountDisplayName');
  return { id, name, type: readActorType(row, name ?? id) };
}

function readActorType(row: RowReader, name: string | null): ActorType {
  const type = accountTypes.get(toText(row.columns.AccountType)?.toLowerCase() ?? '');
  if (type !== undefined && type !== 'user') return type;
  if (row.flag('IsExternalUser') === true) return 'guest';
  return name === null ? (type ?? 'unknown') : readPersonType(name);
}

/** Every object of the activity other than its actor. */
function listTargets(row: RowReader): EventTarget[] {
  return toList(row.json('ActivityObjects'))
    .filter(isObject)
    .filter((object) => toText(object.Role)?.toLowerCase() !== 'actor')
    .flatMap((object) => {
      const id = firstText(object.Id, object.Name);
      return id === null
        ? []
        : [{ id, name: toText(object.Name), type: firstText(object.Type, object.ServiceObjectType) }];
    });
}

function readResource(row: RowReader, [first]: readonly EventTarget[]): Resource {
  const own = { id: row.text('ObjectId'), name: row.text('ObjectName'), type: row.text('ObjectType') };
  return own.id !== null || own.name !== null ? own : { ...(first ?? own), type: first?.type ?? own.type };
}

const accountTypes = new Map<string, ActorType>([
  ['regular', 'user'],
  ['user', 'user'],
  ['admin', 'user'],
  ['guest', 'guest'],
  ['application', 'application'],
  ['serviceaccount', 'application'],
  ['serviceprincipal', 'servicePrincipal'],
  ['system', 'system'],
  ['dcadmin', 'system'],
  ['reserved', 'system'],
  ['policy', 'policy'],
]);
/** Distinct ones. */
const rawNamesMax = 32;
