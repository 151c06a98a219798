import {
  type AlertDevice,
  type AlertEmail,
  type AlertFile,
  type AlertIp,
  type AlertStatus,
  type AlertUser,
  formatTime,
} from '@tenantscope/contract';
import { toEpochMs } from '../field/time.ts';
import { firstText, type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { type Alert, type AlertElements, noElements, unknownAlert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { foundDevice, foundFile, foundIp } from './found-elements.ts';
import { type FoundElement, mergeElements, toAddressUser } from './merge-elements.ts';
import { toAlertSeverity } from './severity.ts';

/** Alerts of Google Workspace's Alert Center. Google repeats an alert in full whenever it changes. */
export const googleAlertCenterAlert: AlertFormat = {
  shape: sourceShapes['google.alertcenter.alert'],
  normalise,
};

function normalise(record: JsonObject): Alert {
  const details = toObject(record.data);
  const metadata = toObject(record.metadata);
  const status = readStatus(toText(metadata.status));
  const updated = readLastUpdate(record, metadata);
  return {
    ...unknownAlert,
    id: toText(record.alertId),
    title: firstText(record.type, record.source),
    description: firstText(
      details.description,
      details.title,
      details.displayName,
      details.name,
      toObject(toObject(details.ruleViolationInfo).ruleInfo).displayName,
    ),
    severity: toAlertSeverity(toText(metadata.severity)),
    status,
    category: toText(record.source),
    serviceSource: 'googleWorkspace',
    assignedTo: toText(metadata.assignee),
    alertWebUrl: toText(record.securityInvestigationToolLink),
    firstActivityMs: toEpochMs(record.startTime),
    lastActivityMs: toEpochMs(record.endTime),
    createdMs: toEpochMs(record.createTime),
    resolvedMs: status === 'resolved' ? toEpochMs(updated.time) : null,
    lastUpdate: updated,
    elements: readElements(details),
  };
}

/** An alert without any update has its creation time only. */
function readLastUpdate(record: JsonObject, metadata: JsonObject): Alert['lastUpdate'] {
  if (toText(record.updateTime) !== null) return { time: record.updateTime, member: 'updateTime' };
  if (toText(metadata.updateTime) !== null) return { time: metadata.updateTime, member: 'metadata.updateTime' };
  return { time: record.createTime, member: 'createTime' };
}

/** `data` has a different shape for each type of alert; many have addresses of users in these members. */
function readElements(details: JsonObject): AlertElements {
  const messages = toList(details.messages).map(toObject);
  const changedAdmin = toObject(details.primaryAdminChangedEvent);
  const violation = toObject(details.ruleViolationInfo);
  const addresses = [
    details.email,
    details.actorEmail,
    violation.triggeringUserEmail,
    ...toList(details.affectedUserEmails),
    toObject(details.superAdminPasswordResetEvent).userEmail,
    changedAdmin.previousAdminEmail,
    changedAdmin.updatedAdminEmail,
    ...messages.map((message) => message.recipient),
  ];
  const sender = toText(toObject(toObject(details.maliciousEntity).entity).emailAddress);
  return {
    ...noElements,
    users: mergeElements<AlertUser>(readAddresses(addresses).map(toAddressUser)),
    emails: mergeElements<AlertEmail>(messages.map((message) => toEmail(message, sender))),
    devices: mergeElements<AlertDevice>(toList(details.events).map(toObject).map(toDevice)),
    files: mergeElements<AlertFile>([
      ...messages.flatMap(readAttachments),
      toDocument(toObject(violation.resourceInfo)),
    ]),
    ips: mergeElements<AlertIp>([
      foundIp(toObject(details.loginDetails).ipAddress, null),
      foundIp(details.sourceIp, null),
    ]),
  };
}

function toEmail(message: JsonObject, sender: string | null): FoundElement<AlertEmail> {
  const receivedMs = toEpochMs(message.date);
  return {
    id: toText(message.messageId),
    internetMessageId: toText(message.messageId),
    networkMessageId: null,
    subject: toText(message.subjectText),
    sender,
    recipient: toText(message.recipient),
    receivedAt: receivedMs === null ? null : formatTime(receivedMs),
    deliveryAction: null,
    verdict: null,
  };
}

/** Of attachments Google gives the hashes alone. */
function readAttachments({ attachmentsSha256Hash }: JsonObject): FoundElement<AlertFile>[] {
  return toList(attachmentsSha256Hash).map((sha256) => foundFile({ sha256 }));
}

/** Of a device that is compromised or behaves suspiciously. */
function toDevice({ deviceId, deviceModel }: JsonObject): FoundElement<AlertDevice> {
  return { ...foundDevice({ name: deviceModel }), id: toText(deviceId) };
}

/** The document that violates a rule. */
function toDocument({ documentId, resourceTitle }: JsonObject): FoundElement<AlertFile> {
  const file = foundFile({ name: resourceTitle });
  return { ...file, id: toText(documentId) ?? file.id };
}

function readAddresses(values: readonly (Json | undefined)[]): string[] {
  return values.flatMap((value) => toText(value) ?? []).filter((text) => text.includes('@'));
}

function readStatus(word: string | null): AlertStatus | null {
  return word === null ? null : (statuses.get(word.toUpperCase()) ?? 'unknown');
}

const statuses = new Map<string, AlertStatus>([
  ['NOT_STARTED', 'new'],
  ['IN_PROGRESS', 'inProgress'],
  ['CLOSED', 'resolved'],
]);
