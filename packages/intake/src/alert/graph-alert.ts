import { type AlertStatus, alertStatuses } from '@tenantscope/contract';
import { lowerFirst } from '../field/case.ts';
import { timeOf } from '../field/time.ts';
import { isObject, type Json, type JsonObject, textOf } from '../json/value.ts';
import { type Rejection, reject } from '../rejection.ts';
import { type Part, splitRecords, wholeRecord } from '../split.ts';
import type { Alert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { elementsOfEvidence } from './graph-evidence.ts';
import { alertSeverityOf } from './severity.ts';

/** Alerts of Microsoft Graph's security API, version 2 (`alerts_v2`). */
export const graphSecurityAlert: AlertFormat = {
  split: (reading) => splitRecords(reading, { list: 'value', unless: 'id' }, wholeRecord),
  normalise,
  organizationOf: (record) => record.tenantId,
};

/**
 * Incidents of the same API, each for the alerts it carries: a list, or one alert where a collector made a row for each.
 * An alert is the same state however it comes, so that nothing of the incident enters it.
 */
export const graphSecurityIncident: AlertFormat = {
  ...graphSecurityAlert,
  split: (reading) => splitRecords(reading, { list: 'value', unless: 'id' }, alertsOf),
};

function alertsOf(incident: JsonObject, repeatsNames: boolean): (Part | Rejection)[] {
  const alerts = Array.isArray(incident.alerts) ? (incident.alerts as readonly Json[]) : [incident.alerts ?? null];
  if (alerts.length === 0 || incident.alerts === undefined || incident.alerts === null) {
    return [reject('EMPTY_PAYLOAD', 'the incident carries no alerts')];
  }
  return alerts.map((alert) => {
    if (!isObject(alert)) return reject('SCHEMA_VIOLATION', 'member alerts holds something else than alerts');
    const tenantId = alert.tenantId ?? incident.tenantId;
    return { record: { ...alert, tenantId }, content: alert, repeatsNames, index: 0 };
  });
}

function normalise(record: JsonObject): Alert {
  const updated = ['lastUpdateDateTime', 'createdDateTime'].find((member) => textOf(record[member]) !== null);
  const member = updated ?? 'lastUpdateDateTime';
  return {
    id: textOf(record.id),
    title: textOf(record.title),
    description: textOf(record.description),
    severity: alertSeverityOf(textOf(record.severity)),
    status: statusOf(textOf(record.status)),
    classification: wordOf(record.classification),
    determination: wordOf(record.determination),
    category: textOf(record.category),
    threatDisplayName: textOf(record.threatDisplayName),
    threatFamilyName: textOf(record.threatFamilyName),
    actorDisplayName: textOf(record.actorDisplayName),
    serviceSource: wordOf(record.serviceSource),
    detectionSource: wordOf(record.detectionSource),
    assignedTo: textOf(record.assignedTo),
    alertWebUrl: textOf(record.alertWebUrl),
    incidentWebUrl: textOf(record.incidentWebUrl),
    recommendedActions: textOf(record.recommendedActions),
    firstActivityMs: timeOf(record.firstActivityDateTime),
    lastActivityMs: timeOf(record.lastActivityDateTime),
    createdMs: timeOf(record.createdDateTime),
    resolvedMs: timeOf(record.resolvedDateTime),
    lastUpdate: { time: record[member], member },
    elements: elementsOfEvidence(record.evidence),
  };
}

function statusOf(word: string | null): AlertStatus | null {
  return word === null ? null : (alertStatuses.find((status) => status === lowerFirst(word)) ?? 'unknown');
}

/** A word of an open vocabulary, in the spelling of this API's second version. */
function wordOf(value: Json | undefined): string | null {
  const word = textOf(value);
  return word === null ? null : lowerFirst(word);
}
