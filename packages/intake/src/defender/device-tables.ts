import type { EventChange, EventThreat, Outcome, Severity } from '@tenantscope/contract';
import type { Actor, Device, Resource } from '../activity/activity.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { firstGuid } from '../field/guid.ts';
import { firstText, type JsonObject, toBoolean, toObject, toText } from '../json/value.ts';
import { readAccount } from './account.ts';
import type { TableReader } from './table-reading.ts';

/** The tables of Defender for Endpoint: what processes did on a device, and what the device is. */
export const deviceTables: readonly (readonly [table: string, read: TableReader])[] = [
  ['DeviceEvents', createReader({ readResource: readAny })],
  ['DeviceProcessEvents', createReader({ readResource: readProcess })],
  ['DeviceFileEvents', createReader({ readResource: readFile, listChanges: listFileChanges })],
  ['DeviceImageLoadEvents', createReader({ readResource: readFile })],
  ['DeviceFileCertificateInfo', createReader({ readResource: readFile })],
  ['DeviceNetworkEvents', createReader({ readResource: readConnection, readSource: readConnectionSource })],
  ['DeviceRegistryEvents', createReader({ readResource: readRegistryKey, listChanges: listRegistryChanges })],
  [
    'DeviceLogonEvents',
    createReader({ readActor: (row) => readAccount(row, ''), readSource: (row) => row.address('RemoteIP') }),
  ],
  ['DeviceInfo', createReader({ readSource: (row) => row.address('PublicIP') })],
  ['DeviceNetworkInfo', createReader({})],
];

interface DeviceTable {
  /** The device where there is none. */
  readonly readResource?: (row: RowReader) => Resource | null;
  readonly readActor?: (row: RowReader) => Actor;
  readonly readSource?: (row: RowReader) => string | null;
  readonly listChanges?: (row: RowReader) => EventChange[];
}

function createReader({ readResource, readActor, readSource, listChanges }: DeviceTable): TableReader {
  return (row) => {
    const action = toText(row.columns.ActionType);
    const device = readDevice(row);
    return {
      resource: readResource?.(row) ?? { id: device.id, name: device.name, type: 'device' },
      actor: (readActor ?? readInitiator)(row),
      actorIp: (readSource ?? readRemoteSource)(row),
      device,
      outcome: readOutcome(action),
      upstream: rateAction(action),
      context: {
        deviceOs: row.text('OSPlatform'),
        outcomeReason: row.text('FailureReason'),
        sessionId: row.text('LogonId', 'InitiatingProcessLogonId'),
        threat: readDetection(row, action),
        changes: listChanges?.(row) ?? [],
      },
    };
  };
}

/** Tables of the family that are not listed, such as those of vulnerability management. */
export const readOtherDeviceTable: TableReader = createReader({ readResource: readAny });

function readRemoteSource(row: RowReader): string | null {
  return row.address('RequestSourceIP', 'InitiatingProcessRemoteSessionIP', 'LocalIP');
}

/** The account that ran the process; where the process is unknown, the account that the event is about. */
function readInitiator(row: RowReader): Actor {
  const initiator = readAccount(row, 'InitiatingProcess');
  return initiator.type === 'unknown' ? readAccount(row, '') : initiator;
}

export function readDevice(row: RowReader): Device {
  const inDirectory = firstGuid(row.columns.AadDeviceId);
  if (inDirectory !== null) row.markShown('AadDeviceId');
  return {
    id: inDirectory ?? row.text('DeviceId'),
    name: row.text('DeviceName'),
    isManaged: toBoolean(row.columns.IsManaged),
  };
}

/** A file on a device is not among the tenant's files, so that its type differs from theirs. */
function readFile(row: RowReader): Resource | null {
  const name = row.text('FileName');
  const id = row.text('SHA256', 'SHA1', 'MD5', 'FolderPath');
  return id === null && name === null ? null : { id, name, type: 'deviceFile' };
}

function readProcess(row: RowReader): Resource | null {
  const file = readFile(row);
  return file === null ? null : { ...file, type: 'process' };
}

function readConnection(row: RowReader): Resource | null {
  const id = row.text('RemoteUrl', 'RemoteIP');
  return id === null ? null : { id, name: id, type: 'networkAddress' };
}

function readRegistryKey(row: RowReader): Resource | null {
  const id = row.text('RegistryKey', 'PreviousRegistryKey');
  return id === null ? null : { id, name: row.text('RegistryValueName') ?? id, type: 'registryKey' };
}

function readAny(row: RowReader): Resource | null {
  return readFile(row) ?? readRegistryKey(row) ?? readConnection(row);
}

/** A connection comes from the remote address only where it was accepted; inspections name the direction. */
function readConnectionSource(row: RowReader): string | null {
  const direction = toText(toObject(row.json('AdditionalFields')).direction)?.toLowerCase();
  const isInbound = direction === 'in' || /^Inbound/.test(toText(row.columns.ActionType) ?? '');
  return isInbound ? row.address('RemoteIP') : row.address('LocalIP');
}

function listRegistryChanges(row: RowReader): EventChange[] {
  const before = row.text('PreviousRegistryValueData');
  const after = row.text('RegistryValueData');
  if (before === null && after === null) return [];
  return [{ name: firstText(row.columns.RegistryValueName, row.columns.PreviousRegistryValueName), before, after }];
}

function listFileChanges(row: RowReader): EventChange[] {
  return ['FileName', 'FolderPath'].flatMap((name) => {
    const before = row.text(`Previous${name}`);
    return before === null ? [] : [{ name, before, after: row.text(name) }];
  });
}

/** Only antivirus events say what was found. */
function readDetection(row: RowReader, action: string | null): EventThreat | null {
  if (action === null || !action.startsWith('Antivirus')) return null;
  const found: JsonObject = toObject(row.json('AdditionalFields'));
  const name = firstText(found.ThreatName);
  return name === null ? null : { verdict: action, level: null, name, source: 'Microsoft Defender Antivirus' };
}

function readOutcome(action: string | null): Outcome | null {
  if (action === null) return null;
  if (/(?:Success|Succeeded|Accepted|Allowed)$/.test(action)) return 'success';
  return /(?:Failed|Failure|Blocked|Denied)$/.test(action) ? 'failure' : null;
}

/** Detections of the endpoint's own protection; everything else is rated as an action. */
function rateAction(action: string | null): Severity | null {
  return detections.find(([pattern]) => pattern.test(action ?? ''))?.[1] ?? null;
}

const detections: readonly (readonly [pattern: RegExp, severity: Severity])[] = [
  [/^(?:AntivirusDetection|TamperingAttempt)$/, 'high'],
  [/^(?:Asr|ExploitGuard|AppControl|ControlledFolderAccess|SmartScreen).*(?:Blocked|Warning)$/, 'medium'],
];
