import { isObject, type Json, type JsonObject, toList, toText } from '../json/value.ts';
import type { AlertElements } from './alert.ts';
import { formatReceivedTime, foundDevice, foundFile, foundIp, foundUser, type Judgement } from './found-elements.ts';
import { collectElements, type FoundElements } from './merge-elements.ts';

/**
 * Elements of the flat entities that Defender for Endpoint calls evidence and the incidents of Microsoft 365 Defender
 * entities: all have the same members, and `entityType` says which of them are set. A collector may send one entity
 * instead of a list.
 */
export function readEndpointEntities(entities: Json | undefined, others: readonly FoundElements[]): AlertElements {
  const list = isObject(entities) ? [entities] : toList(entities);
  return collectElements([...others, ...list.filter(isObject).map(readEntity)]);
}

function readEntity(entity: JsonObject): FoundElements {
  const judgement = { roles: [], verdict: toText(entity.verdict) };
  const named = toText(entity.entityType)?.toLowerCase() ?? '';
  return {
    users: [readUser(entity, named === 'user' || named === 'mailbox' ? judgement : undefined)],
    files: [
      foundFile(
        {
          name: entity.fileName,
          path: entity.filePath,
          sha256: entity.sha256,
          sha1: entity.sha1,
          size: entity.fileSize,
        },
        judgement,
      ),
      foundFile({ name: entity.parentProcessFileName, path: entity.parentProcessFilePath }),
    ],
    ips: [foundIp(entity.ipAddress, null, judgement)],
    devices: [foundDevice({ defenderDeviceId: entity.deviceId })],
    groups: [{ id: toText(entity.securityGroupId), name: toText(entity.securityGroupName), ...judgement }],
    apps: [readApp(entity, judgement)],
    emails: named === 'mailmessage' || named === 'mailcluster' ? listEmails(entity, judgement) : [],
  };
}

function readUser(entity: JsonObject, judgement?: Judgement) {
  return foundUser(
    {
      azureAdUserId: entity.aadUserId,
      sid: entity.userSid,
      address: entity.userPrincipalName ?? entity.mailboxAddress,
      name: entity.accountName,
      displayName: entity.mailboxDisplayName,
    },
    judgement,
  );
}

function readApp(entity: JsonObject, { verdict }: Judgement) {
  const appId = toText(entity.applicationId);
  return { id: appId, appId, name: toText(entity.applicationName), kind: 'cloudApplication', verdict };
}

function listEmails(entity: JsonObject, { verdict }: Judgement) {
  const ids =
    toList(entity.networkMessageIds).length > 0 ? toList(entity.networkMessageIds) : [entity.networkMessageId];
  return ids.map((id) => {
    const networkMessageId = toText(id);
    const internetMessageId = toText(entity.internetMessageId);
    return {
      id: networkMessageId ?? internetMessageId,
      internetMessageId,
      networkMessageId,
      subject: toText(entity.subject),
      sender: toText(entity.sender),
      recipient: toText(entity.recipient),
      receivedAt: formatReceivedTime(entity.receivedDate),
      deliveryAction: toText(entity.deliveryAction),
      verdict,
    };
  });
}
