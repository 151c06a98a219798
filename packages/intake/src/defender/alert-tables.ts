import type { EventTarget } from '@tenantscope/contract';
import type { Resource } from '../activity/activity.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { lowerFirst } from '../field/case.ts';
import { toText } from '../json/value.ts';
import { parseSeverity } from '../severity/severity.ts';
import { readAccount } from './account.ts';
import { readDevice } from './device-tables.ts';
import { systemActor, type TableReader, type TableReading } from './table-reading.ts';

/** Alerts and behaviors of all services of Defender, and one row per piece of their evidence. */
export const alertTables: readonly (readonly [table: string, read: TableReader])[] = [
  ['AlertInfo', readAlert],
  ['AlertEvidence', readEvidence],
  ['BehaviorInfo', readBehavior],
  ['BehaviorEntities', (row) => ({ ...readEvidence(row), resource: readBehaviorName(row) })],
];

function readAlert(row: RowReader): Partial<TableReading> {
  const severity = toText(row.columns.Severity);
  return {
    actor: systemActor,
    resource: { id: row.text('AlertId'), name: row.text('Title'), type: 'alert' },
    upstream: parseSeverity(severity),
    context: {
      threat: {
        verdict: row.text('Category'),
        level: row.text('Severity'),
        name: toText(row.columns.Title),
        source: row.text('ServiceSource', 'DetectionSource'),
      },
    },
  };
}

/** A behavior is suspicious and no alert: of an account, or of a device. */
function readBehavior(row: RowReader): Partial<TableReading> {
  const account = readAccount(row, '');
  return {
    actor: account.type === 'unknown' ? systemActor : account,
    resource: readBehaviorName(row),
    upstream: parseSeverity(row.columns.Severity),
    device: readDevice(row),
  };
}

function readBehaviorName(row: RowReader): Resource {
  return { id: row.text('BehaviorId'), name: row.text('Title', 'Description'), type: 'behavior' };
}

/** The piece is the first target: an account, a device, a file, an address, a mail or an application. */
function readEvidence(row: RowReader): Partial<TableReading> {
  const account = readAccount(row, '');
  const kind = row.text('EntityType');
  return {
    actor: systemActor,
    actorIp: row.address('RemoteIP', 'LocalIP'),
    resource: { id: row.text('AlertId'), name: row.text('Title'), type: 'alert' },
    upstream: parseSeverity(row.columns.Severity),
    device: readDevice(row),
    application: { clientId: row.text('OAuthApplicationId'), displayName: row.text('Application') },
    context: {
      targets: listEntities(row, kind, account.id === null ? [] : [{ ...account, type: 'user' }]),
      threat: readThreatFamily(row),
    },
  };
}

function listEntities(row: RowReader, kind: string | null, accounts: readonly EventTarget[]): EventTarget[] {
  const file = row.text('SHA256', 'SHA1');
  const name = row.text('FileName');
  const type = kind === null ? null : lowerFirst(kind);
  const others = [
    { id: file ?? name, name, type: type ?? 'file' },
    { id: row.text('NetworkMessageId'), name: row.text('EmailSubject'), type: 'email' },
    { id: row.text('RemoteUrl'), name: null, type: 'url' },
    { id: row.text('RegistryKey'), name: row.text('RegistryValueName'), type: 'registryKey' },
  ];
  return [...others.filter(({ id }) => id !== null), ...accounts];
}

function readThreatFamily(row: RowReader) {
  const name = row.text('ThreatFamily');
  return name === null
    ? null
    : { verdict: toText(row.columns.EvidenceRole), level: null, name, source: row.text('ServiceSource') };
}
