import { type AlertEmail, type AlertStatus, type AlertUser, showTime } from '@tenantscope/contract';
import { timeOf } from '../field/time.ts';
import { firstText, type Json, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { splitRecords, wholeRecord } from '../split.ts';
import type { Alert, AlertElements } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { distinct, type Found, noElements, userNamed } from './element.ts';
import { alertSeverityOf } from './severity.ts';

/** Alerts of Google Workspace's Alert Center. Google repeats an alert in full whenever it changes. */
export const googleAlertCenterAlert: AlertFormat = {
  split: (reading) => splitRecords(reading, { list: 'alerts', unless: 'alertId' }, wholeRecord),
  normalise,
};

function normalise(record: JsonObject): Alert {
  const details = objectOf(record.data);
  const metadata = objectOf(record.metadata);
  const status = statusOf(textOf(metadata.status));
  const updated = lastUpdateOf(record, metadata);
  return {
    id: textOf(record.alertId),
    title: firstText(record.type, record.source),
    description: firstText(details.description, details.title, details.displayName, details.name),
    severity: alertSeverityOf(textOf(metadata.severity)),
    status,
    classification: null,
    determination: null,
    category: textOf(record.source),
    threatDisplayName: null,
    threatFamilyName: null,
    actorDisplayName: null,
    serviceSource: 'googleWorkspace',
    detectionSource: null,
    assignedTo: textOf(metadata.assignee),
    alertWebUrl: textOf(record.securityInvestigationToolLink),
    incidentWebUrl: null,
    recommendedActions: null,
    firstActivityMs: timeOf(record.startTime),
    lastActivityMs: timeOf(record.endTime),
    createdMs: timeOf(record.createTime),
    resolvedMs: status === 'resolved' ? timeOf(updated.time) : null,
    lastUpdate: updated,
    elements: elementsOf(details),
  };
}

/** An alert that nobody touched yet may have been created only. */
function lastUpdateOf(record: JsonObject, metadata: JsonObject): Alert['lastUpdate'] {
  if (textOf(record.updateTime) !== null) return { time: record.updateTime, member: 'updateTime' };
  if (textOf(metadata.updateTime) !== null) return { time: metadata.updateTime, member: 'metadata.updateTime' };
  return { time: record.createTime, member: 'createTime' };
}

/** `data` has a shape for each type of alert; people are named by address in these members of many of them. */
function elementsOf(details: JsonObject): AlertElements {
  const messages = listOf(details.messages).map(objectOf);
  const people = [
    details.email,
    details.actorEmail,
    ...listOf(details.affectedUserEmails),
    objectOf(details.superAdminPasswordResetEvent).userEmail,
    ...messages.map((message) => message.recipient),
  ];
  const sender = textOf(objectOf(objectOf(details.maliciousEntity).entity).emailAddress);
  return {
    ...noElements,
    users: distinct<AlertUser>(addressesOf(people).map(userNamed)),
    emails: distinct<AlertEmail>(messages.map((message) => mailOf(message, sender))),
  };
}

function mailOf(message: JsonObject, sender: string | null): Found<AlertEmail> {
  const receivedMs = timeOf(message.date);
  return {
    id: textOf(message.messageId),
    internetMessageId: textOf(message.messageId),
    networkMessageId: null,
    subject: textOf(message.subjectText),
    sender,
    recipient: textOf(message.recipient),
    receivedAt: receivedMs === null ? null : showTime(receivedMs),
    deliveryAction: null,
    verdict: null,
  };
}

function addressesOf(values: readonly (Json | undefined)[]): string[] {
  return values.flatMap((value) => textOf(value) ?? []).filter((text) => text.includes('@'));
}

function statusOf(word: string | null): AlertStatus | null {
  return word === null ? null : (statuses.get(word.toUpperCase()) ?? 'unknown');
}

const statuses = new Map<string, AlertStatus>([
  ['NOT_STARTED', 'new'],
  ['IN_PROGRESS', 'inProgress'],
  ['CLOSED', 'resolved'],
]);
