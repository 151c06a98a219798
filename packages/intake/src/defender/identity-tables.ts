import type { EventChange, EventLocation, EventTarget, Outcome } from '@tenantscope/contract';
import type { Resource } from '../activity/activity.ts';
import { noLocation } from '../activity/event-context.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { toObject, toText } from '../json/value.ts';
import { readAccount } from './account.ts';
import { readDevice } from './device-tables.ts';
import { systemActor, type TableReader, type TableReading } from './table-reading.ts';

/** The tables of Defender for Identity: sign-ins to domains, changes of directories, and queries of them. */
export const identityTables: readonly (readonly [table: string, read: TableReader])[] = [
  ['IdentityLogonEvents', readIdentity],
  ['IdentityDirectoryEvents', readIdentity],
  ['IdentityQueryEvents', (row) => readIdentity(row, readQueryTarget(row))],
  ['IdentityEvents', readIdentity],
  ['IdentityInfo', readInfo],
];

function readIdentity(row: RowReader, target: Resource | null = null): Partial<TableReading> {
  const action = toText(row.columns.ActionType);
  const targets = listTargets(row);
  const [first] = targets;
  return {
    actor: readAccount(row, ''),
    actorIp: row.address('IPAddress'),
    resource: target ?? first ?? { id: null, name: null, type: null },
    device: readDevice(row),
    application: { clientId: null, displayName: row.text('Application') },
    outcome: readOutcome(action),
    context: {
      outcomeReason: row.text('FailureReason'),
      deviceOs: row.text('OSPlatform'),
      location: readLocation(row),
      targets,
      changes: listChanges(row),
    },
  };
}

/** A person or an account as the directories describe it. Its city and country are an address, not the place of an event. */
function readInfo(row: RowReader): Partial<TableReading> {
  const { id, name } = readAccount(row, '');
  return { actor: systemActor, resource: { id, name, type: 'account' } };
}

/** The account and the computer that the action was about. */
function listTargets(row: RowReader): EventTarget[] {
  const accountName = row.text('TargetAccountUpn', 'TargetAccountDisplayName');
  const device = row.text('TargetDeviceName', 'DestinationDeviceName');
  return [
    ...(accountName === null ? [] : [{ id: accountName, name: accountName, type: 'account' }]),
    ...(device === null ? [] : [{ id: device, name: device, type: 'device' }]),
  ];
}

function readQueryTarget(row: RowReader): Resource | null {
  const name = row.text('QueryTarget');
  return name === null ? null : { id: name, name, type: 'directoryObject' };
}

/** A change of the directory has the values as `FROM.<name>` and `TO.<name>`; `DEVICE` is where a query came from and went to. */
function listChanges(row: RowReader): EventChange[] {
  const fields = toObject(row.json('AdditionalFields'));
  const names = Object.keys(fields)
    .filter((name) => name.startsWith('FROM.') || name.startsWith('TO.'))
    .map((name) => name.slice(name.indexOf('.') + 1))
    .filter((name) => name !== 'DEVICE');
  return [...new Set(names)].map((name) => ({
    name,
    before: toText(fields[`FROM.${name}`]),
    after: toText(fields[`TO.${name}`]),
  }));
}

/** Columns of place that the tables of identities and of cloud apps share. */
export function readLocation(row: RowReader): EventLocation | null {
  const place = {
    ...noLocation,
    country: row.text('CountryCode', 'Country', 'CountryName', 'Location'),
    region: row.text('State', 'ProvinceName'),
    city: row.text('City', 'CityName'),
    latitude: readDegrees(row, 'Latitude'),
    longitude: readDegrees(row, 'Longitude'),
    asOrganization: row.text('ISP', 'Isp'),
    isProxy: row.flag('IsAnonymousProxy'),
  };
  return Object.values(place).some((value) => value !== null) ? place : null;
}

function readDegrees(row: RowReader, name: string): number | null {
  const text = row.text(name);
  const degrees = text === null ? Number.NaN : Number(text);
  return Number.isFinite(degrees) ? degrees : null;
}

function readOutcome(action: string | null): Outcome | null {
  if (action === null) return null;
  if (/(?:Success|Succeeded)$/i.test(action)) return 'success';
  return /(?:Failed|Failure)$/i.test(action) ? 'failure' : null;
}
