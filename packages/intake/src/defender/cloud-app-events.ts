import type { ActorType, EventTarget, Outcome } from '@tenantscope/contract';
import type { Actor, Resource } from '../activity/activity.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { firstGuid } from '../field/guid.ts';
import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText, isObject, type JsonObject, toBoolean, toList, toObject, toText } from '../json/value.ts';
import { readPersonType } from './account.ts';
import { readLocation } from './identity-tables.ts';
import { noDevice, type TableReader } from './table-reading.ts';

/**
 * Activity in cloud applications. `RawEventData` is the record of the application itself, for Microsoft 365 the one that
 * the Management Activity API has too: the row stays an event of Defender, and both are rows.
 */
export const readCloudAppEvent: TableReader = (row) => {
  const raw = toObject(row.json('RawEventData'));
  const userAgent = row.text('UserAgent');
  const targets = listTargets(row);
  return {
    actor: readActor(row),
    actorIp: row.address('IPAddress'),
    resource: readResource(row, targets),
    outcome: readOutcome(raw),
    device: { ...noDevice, name: null },
    application: { clientId: firstGuid(row.columns.OAuthAppId), displayName: row.text('Application') },
    clientApp: parseUserAgentProduct(userAgent) ?? row.text('DeviceType'),
    record: raw,
    context: {
      recordType: firstText(raw.RecordType),
      outcomeReason: firstText(raw.ResultStatus),
      correlationId: firstText(raw.CorrelationId),
      userAgent,
      deviceOs: row.text('OSPlatform'),
      location: readLocation(row),
      targets,
    },
  };
};

function readActor(row: RowReader): Actor {
  const id = row.text('AccountObjectId', 'AccountId');
  const name = row.text('AccountDisplayName');
  return { id, name, type: readActorType(row, name ?? id) };
}

function readActorType({ columns }: RowReader, name: string | null): ActorType {
  const type = accountTypes.get(toText(columns.AccountType)?.toLowerCase() ?? '');
  if (type !== undefined && type !== 'user') return type;
  if (toBoolean(columns.IsExternalUser) === true || toText(columns.IsExternalUser) === '1') return 'guest';
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

function readOutcome(raw: JsonObject): Outcome | null {
  return toOutcome(readActionResult(toText(raw.ResultStatus)));
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
