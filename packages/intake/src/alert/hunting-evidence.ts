import type { AlertApp, AlertEmail } from '@tenantscope/contract';
import { lowerFirst } from '../field/case.ts';
import { type JsonObject, toText } from '../json/value.ts';
import type { AlertElements } from './alert.ts';
import { foundDevice, foundFile, foundIp, foundUser, type Judgement, noJudgement } from './found-elements.ts';
import { collectElements, type FoundElement } from './merge-elements.ts';

/**
 * Elements of a row of AlertEvidence: one piece of evidence, of the kind in `EntityType`, and what it was found on. The role
 * is that of the piece.
 */
export function readHuntingEvidence(columns: JsonObject): AlertElements {
  const type = toText(columns.EntityType)?.toLowerCase() ?? '';
  const role = toText(columns.EvidenceRole);
  const judgement: Judgement = { roles: role === null ? [] : [lowerFirst(role)], verdict: null };
  const judge = (kind: keyof AlertElements) => (kindsByType.get(type) === kind ? judgement : noJudgement);
  const { FileName, FolderPath, SHA256, SHA1, FileSize, DeviceId, DeviceName, RemoteIP, LocalIP } = columns;
  const { AccountObjectId, AccountSid, AccountUpn, AccountName } = columns;
  const user = { azureAdUserId: AccountObjectId, sid: AccountSid, address: AccountUpn, name: AccountName };
  const file = { name: FileName, path: FolderPath, sha256: SHA256, sha1: SHA1, size: FileSize };
  return collectElements([
    {
      users: [foundUser(user, judge('users'))],
      devices: [foundDevice({ defenderDeviceId: DeviceId, name: DeviceName }, judge('devices'))],
      files: [foundFile(file, judge('files'))],
      ips: [foundIp(RemoteIP, null, judge('ips')), foundIp(LocalIP, null, judge('ips'))],
      emails: [readEmail(columns)],
      apps: [readApp(columns, type)],
    },
  ]);
}

function readEmail({ NetworkMessageId, EmailSubject }: JsonObject): FoundElement<AlertEmail> {
  const networkMessageId = toText(NetworkMessageId);
  return {
    id: networkMessageId,
    internetMessageId: null,
    networkMessageId,
    subject: toText(EmailSubject),
    sender: null,
    recipient: null,
    receivedAt: null,
    deliveryAction: null,
    verdict: null,
  };
}

/** `ApplicationId` of other pieces is the service that they were found in. */
function readApp(columns: JsonObject, type: string): FoundElement<AlertApp> {
  const oauthId = toText(columns.OAuthApplicationId);
  const appId = oauthId ?? (type === 'cloudapplication' ? toText(columns.ApplicationId) : null);
  const kind = oauthId === null ? 'cloudApplication' : 'oauthApplication';
  return { id: appId, appId, name: toText(columns.Application), kind, verdict: null };
}

const kindsByType = new Map<string, keyof AlertElements>([
  ['user', 'users'],
  ['mailbox', 'users'],
  ['machine', 'devices'],
  ['file', 'files'],
  ['process', 'files'],
  ['ip', 'ips'],
]);
