import { toEpochMs } from '../field/time.ts';
import { isObject, type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { type Alert, type AlertElements, unknownAlert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { readLastUpdate } from './endpoint-alert.ts';
import { formatReceivedTime, foundDevice, foundFile, foundIp, foundUser, toTexts } from './found-elements.ts';
import { collectElements, type FoundElements } from './merge-elements.ts';
import { toAlertSeverity } from './severity.ts';
import { toAlertId, toClassification, toServiceSource, toStatus } from './vocabulary.ts';

/** Alerts of Microsoft Graph's security API, version 1 (`/security/alerts`). */
export const legacyGraphAlert: AlertFormat = {
  shape: sourceShapes['graph.security.alert.legacy'],
  normalise,
  readOrganization: (record) => record.azureTenantId,
};

function normalise(record: JsonObject): Alert {
  const vendor = toObject(record.vendorInformation);
  const malware = toObject(toList(record.malwareStates)[0]);
  return {
    ...unknownAlert,
    id: toAlertId(toText(record.id)),
    title: toText(record.title),
    description: toText(record.description),
    severity: toAlertSeverity(toText(record.severity)),
    status: toStatus(record.status),
    classification: toClassification(record.feedback),
    category: toText(record.category),
    threatDisplayName: toText(malware.name),
    threatFamilyName: toText(malware.family),
    actorDisplayName: toText(record.activityGroupName),
    serviceSource: toServiceSource(vendor.provider),
    detectionSource: toText(vendor.subProvider),
    assignedTo: toText(record.assignedTo),
    alertWebUrl: toTexts(record.sourceMaterials)[0] ?? null,
    recommendedActions: toTexts(record.recommendedActions).join('\n') || null,
    incidentId: toTexts(record.incidentIds)[0] ?? null,
    firstActivityMs: toEpochMs(record.eventDateTime),
    createdMs: toEpochMs(record.createdDateTime),
    resolvedMs: toEpochMs(record.closedDateTime),
    lastUpdate: readLastUpdate(record, ['lastModifiedDateTime', 'createdDateTime', 'eventDateTime']),
    elements: readStates(record),
  };
}

/** Each kind of evidence is a list of its own. */
function readStates(record: JsonObject): AlertElements {
  const each = (list: Json | undefined, read: (state: JsonObject) => FoundElements) =>
    toList(list).filter(isObject).map(read);
  return collectElements([
    ...each(record.userStates, readUser),
    ...each(record.hostStates, readHost),
    ...each(record.fileStates, readFile),
    ...each(record.processes, readFile),
    ...each(record.networkConnections, (connection) => ({
      ips: [foundIp(connection.sourceAddress, null), foundIp(connection.destinationAddress, null)],
    })),
    ...each(record.cloudAppStates, (app) => ({
      apps: [
        {
          id: toText(app.destinationServiceName),
          appId: null,
          name: toText(app.destinationServiceName),
          kind: 'cloudApplication',
          verdict: null,
        },
      ],
      ips: [foundIp(app.destinationServiceIp, null)],
    })),
    ...each(record.messageSecurityStates, readMessage),
  ]);
}

function readUser(state: JsonObject): FoundElements {
  return {
    users: [
      foundUser({
        azureAdUserId: state.aadUserId,
        sid: state.onPremisesSecurityIdentifier,
        address: state.userPrincipalName,
        name: state.accountName,
      }),
    ],
    ips: [foundIp(state.logonIp, state.logonLocation)],
  };
}

function readHost(state: JsonObject): FoundElements {
  return {
    devices: [foundDevice({ name: toText(state.fqdn) ?? state.netBiosName, os: state.os })],
    ips: [foundIp(state.privateIpAddress, null), foundIp(state.publicIpAddress, null)],
  };
}

function readFile(state: JsonObject): FoundElements {
  const { hashType, hashValue } = toObject(state.fileHash);
  const type = toText(hashType)?.toLowerCase();
  return {
    files: [
      foundFile({
        name: state.name,
        path: state.path,
        sha256: type === 'sha256' ? hashValue : null,
        sha1: type === 'sha1' ? hashValue : null,
      }),
    ],
  };
}

function readMessage(state: JsonObject): FoundElements {
  const networkMessageId = toText(state.networkMessageId);
  const internetMessageId = toText(state.internetMessageId);
  return {
    emails: [
      {
        id: networkMessageId ?? internetMessageId,
        internetMessageId,
        networkMessageId,
        subject: toText(state.messageSubject),
        sender: toText(state.emailSender),
        recipient: toText(state.emailRecipient),
        receivedAt: formatReceivedTime(state.messageReceivedDateTime),
        deliveryAction: toText(state.deliveryAction),
        verdict: null,
      },
    ],
  };
}
