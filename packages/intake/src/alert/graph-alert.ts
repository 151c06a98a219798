import { type AlertStatus, alertStatuses } from '@tenantscope/contract';
import { lowerFirst } from '../field/case.ts';
import { toEpochMs } from '../field/time.ts';
import { firstText, isObject, type Json, type JsonObject, toList, toText } from '../json/value.ts';
import { type Rejection, reject } from '../message/rejection.ts';
import { type SplitRecord, toSplitRecord } from '../message/split-records.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import type { Alert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { toTexts } from './found-elements.ts';
import { readEvidenceElements } from './graph-evidence.ts';
import { toAlertSeverity } from './severity.ts';
import { toStatus } from './vocabulary.ts';

/** Alerts of Microsoft Graph's security API, version 2 (`alerts_v2`). */
export const graphSecurityAlert: AlertFormat = {
  shape: sourceShapes['graph.security.alert'],
  normalise,
  readOrganization: (record) => record.tenantId,
};

/**
 * Incidents of the same API, each split into its alerts: a list, or one alert where a collector sends one row per alert. An
 * alert is the same state in every wrapping, so that nothing of the incident enters it. An incident without expanded alerts
 * is a row of its own, by the id of the incident and of the category `incident`.
 */
export const graphSecurityIncident: AlertFormat = {
  ...graphSecurityAlert,
  shape: sourceShapes['graph.security.incident'],
  unwrap: splitIncident,
  normalise: (record) => (isIncident(record) ? normaliseIncident(record) : normalise(record)),
};

function splitIncident(incident: JsonObject, hasDuplicateNames: boolean, text: Buffer): (SplitRecord | Rejection)[] {
  const alerts = isObject(incident.alerts) ? [incident.alerts] : toList(incident.alerts);
  if (alerts.length === 0) return [toSplitRecord(incident, hasDuplicateNames, text)];
  return alerts.map((alert) => {
    if (!isObject(alert)) return reject('SCHEMA_VIOLATION', 'member alerts has an element that is not an object');
    const tenantId = alert.tenantId ?? incident.tenantId;
    return { ...toSplitRecord(alert, hasDuplicateNames, text), value: { ...alert, tenantId } };
  });
}

/** Alerts have a title. */
function isIncident(record: JsonObject): boolean {
  return record.title === undefined && record.displayName !== undefined;
}

function normaliseIncident(record: JsonObject): Alert {
  const incident = normalise(record);
  return {
    ...incident,
    title: toText(record.displayName),
    description: firstText(record.description, record.summary),
    category: 'incident',
    status: toStatus(record.status),
    serviceSource: incident.serviceSource ?? 'microsoft365Defender',
    incidentId: incident.id,
    incidentWebUrl: toText(record.incidentWebUrl),
  };
}

function normalise(record: JsonObject): Alert {
  const updated = ['lastUpdateDateTime', 'createdDateTime'].find((member) => toText(record[member]) !== null);
  const member = updated ?? 'lastUpdateDateTime';
  return {
    id: toText(record.id),
    title: toText(record.title),
    description: toText(record.description),
    severity: toAlertSeverity(toText(record.severity)),
    status: readStatus(toText(record.status)),
    classification: toSpelling(record.classification),
    determination: toSpelling(record.determination),
    category: toText(record.category),
    threatDisplayName: toText(record.threatDisplayName),
    threatFamilyName: toText(record.threatFamilyName),
    actorDisplayName: toText(record.actorDisplayName),
    serviceSource: toSpelling(record.serviceSource),
    detectionSource: toSpelling(record.detectionSource),
    assignedTo: toText(record.assignedTo),
    alertWebUrl: toText(record.alertWebUrl),
    incidentWebUrl: toText(record.incidentWebUrl),
    recommendedActions: toText(record.recommendedActions),
    incidentId: toText(record.incidentId),
    mitreTechniques: toTexts(record.mitreTechniques),
    firstActivityMs: toEpochMs(record.firstActivityDateTime),
    lastActivityMs: toEpochMs(record.lastActivityDateTime),
    createdMs: toEpochMs(record.createdDateTime),
    resolvedMs: toEpochMs(record.resolvedDateTime),
    lastUpdate: { time: record[member], member },
    elements: readEvidenceElements(record.evidence),
  };
}

function readStatus(word: string | null): AlertStatus | null {
  return word === null ? null : (alertStatuses.find((status) => status === lowerFirst(word)) ?? 'unknown');
}

/** A value of an open enum, in the spelling of this API's second version. */
function toSpelling(value: Json | undefined): string | null {
  const word = toText(value);
  return word === null ? null : lowerFirst(word);
}
