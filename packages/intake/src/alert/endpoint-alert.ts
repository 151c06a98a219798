import type { AlertUser } from '@tenantscope/contract';
import { toEpochMs } from '../field/time.ts';
import { firstText, isObject, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { type Rejection, reject } from '../message/rejection.ts';
import { type SplitRecord, toSplitRecord } from '../message/split-records.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { type Alert, type LastUpdate, unknownAlert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { readEndpointEntities } from './endpoint-entities.ts';
import { foundDevice, foundUser, toTexts } from './found-elements.ts';
import type { FoundElement, FoundElements } from './merge-elements.ts';
import { toAlertSeverity } from './severity.ts';
import { toAlertId, toClassification, toDetermination, toServiceSource, toStatus } from './vocabulary.ts';

/** Alerts of the API of Microsoft Defender for Endpoint. */
export const endpointAlert: AlertFormat = {
  shape: sourceShapes['mde.alert'],
  normalise: normaliseEndpointAlert,
  readOrganization: (record) => record.aadTenantId,
};

/**
 * Incidents of the API of Microsoft 365 Defender, each split into its alerts, as those of Graph are. One without alerts is
 * a row of its own.
 */
export const legacyIncident: AlertFormat = {
  shape: sourceShapes['m365d.incidents-legacy'],
  unwrap: splitIncident,
  normalise: (record) => (record.alertId === undefined ? normaliseIncident(record) : normaliseIncidentAlert(record)),
};

function splitIncident(incident: JsonObject, hasDuplicateNames: boolean, text: Buffer): (SplitRecord | Rejection)[] {
  const alerts = isObject(incident.alerts) ? [incident.alerts] : toList(incident.alerts);
  if (alerts.length === 0) return [toSplitRecord(incident, hasDuplicateNames, text)];
  return alerts.map((alert) =>
    isObject(alert)
      ? toSplitRecord(alert, hasDuplicateNames, text)
      : reject('SCHEMA_VIOLATION', 'member alerts has an element that is not an object'),
  );
}

/** The members that both APIs name alike. */
function readCommon(record: JsonObject): Omit<Alert, 'lastUpdate'> {
  return {
    ...unknownAlert,
    title: toText(record.title),
    description: toText(record.description),
    severity: toAlertSeverity(toText(record.severity)),
    status: toStatus(record.status),
    classification: toClassification(record.classification),
    determination: toDetermination(record.determination),
    category: toText(record.category),
    threatFamilyName: toText(record.threatFamilyName),
    threatDisplayName: toText(record.threatName),
    actorDisplayName: toText(record.actorName),
    detectionSource: toText(record.detectionSource),
    assignedTo: toText(record.assignedTo),
    recommendedActions: toText(record.recommendedAction),
    incidentId: toText(record.incidentId),
    mitreTechniques: toTexts(record.mitreTechniques),
    resolvedMs: toEpochMs(record.resolvedTime),
  };
}

function normaliseEndpointAlert(record: JsonObject): Alert {
  return {
    ...readCommon(record),
    id: toAlertId(toText(record.id)),
    serviceSource: 'microsoftDefenderForEndpoint',
    firstActivityMs: toEpochMs(record.firstEventTime),
    lastActivityMs: toEpochMs(record.lastEventTime),
    createdMs: toEpochMs(record.alertCreationTime),
    lastUpdate: readLastUpdate(record, ['lastUpdateTime', 'alertCreationTime']),
    elements: readEndpointEntities(record.evidence, [
      {
        devices: [foundDevice({ defenderDeviceId: record.machineId, name: record.computerDnsName })],
        users: listRelatedUsers(record),
      },
    ]),
  };
}

/** The user of the alert by an account name alone: left out where the evidence has that account, with ids. */
function listRelatedUsers({ relatedUser, evidence }: JsonObject): FoundElement<AlertUser>[] {
  const name = toText(toObject(relatedUser).userName);
  const accounts = (isObject(evidence) ? [evidence] : toList(evidence)).map((piece) =>
    toText(toObject(piece).accountName)?.toLowerCase(),
  );
  return name === null || accounts.includes(name.toLowerCase()) ? [] : [foundUser({ name })];
}

function normaliseIncidentAlert(record: JsonObject): Alert {
  return {
    ...readCommon(record),
    id: toAlertId(toText(record.alertId)),
    serviceSource: toServiceSource(record.serviceSource),
    firstActivityMs: toEpochMs(record.firstActivity),
    lastActivityMs: toEpochMs(record.lastActivity),
    createdMs: toEpochMs(record.creationTime),
    lastUpdate: readLastUpdate(record, ['lastUpdatedTime', 'lastUpdateTime', 'creationTime']),
    elements: readEndpointEntities(record.entities, toList(record.devices).filter(isObject).map(readDevice)),
  };
}

function normaliseIncident(record: JsonObject): Alert {
  return {
    ...readCommon(record),
    id: toAlertId(toText(record.incidentId)),
    title: firstText(record.incidentName, record.title),
    category: 'incident',
    serviceSource: 'microsoft365Defender',
    incidentWebUrl: toText(record.incidentUri),
    createdMs: toEpochMs(record.createdTime),
    lastUpdate: readLastUpdate(record, ['lastUpdateTime', 'createdTime']),
  };
}

function readDevice(device: JsonObject): FoundElements {
  return {
    devices: [
      foundDevice({
        azureAdDeviceId: device.aadDeviceId,
        defenderDeviceId: device.mdatpDeviceId,
        name: device.deviceDnsName,
        os: device.osPlatform,
        osVersion: device.version,
      }),
    ],
  };
}

export function readLastUpdate(record: JsonObject, members: readonly [string, ...string[]]): LastUpdate {
  const readable = members.find((member) => toEpochMs(record[member]) !== null);
  const member = readable ?? members.find((each) => toText(record[each]) !== null) ?? members[0];
  return { time: record[member], member };
}
