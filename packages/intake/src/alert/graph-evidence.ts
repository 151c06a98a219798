import type {
  AlertApp,
  AlertDevice,
  AlertEmail,
  AlertFile,
  AlertGroup,
  AlertIp,
  AlertUser,
} from '@tenantscope/contract';
import { lowerFirst } from '../field/case.ts';
import { firstId } from '../field/guid.ts';
import { firstText, isObject, type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import type { AlertElements } from './alert.ts';
import { formatReceivedTime, foundDevice, foundFile, foundIp, type Judgement, toTexts } from './found-elements.ts';
import { collectElements, type FoundElement, type FoundElements } from './merge-elements.ts';

/** Elements of `evidence`; urls, clusters, containers and most cloud resources are only in the alert as received. */
export function readEvidenceElements(evidence: Json | undefined): AlertElements {
  return collectElements(
    toList(evidence)
      .filter(isObject)
      .map((piece) => readers.get(readType(piece))?.(piece) ?? {}),
  );
}

/** `#microsoft.graph.security.userEvidence` → `userEvidence`. A collector that allows no `@` in names spells it out. */
function readType(piece: JsonObject): string {
  const type = firstText(piece['@odata.type'], piece.at_sign_odata_type) ?? '';
  return lowerFirst(type.slice(type.lastIndexOf('.') + 1));
}

function readUser(piece: JsonObject): FoundElement<AlertUser> {
  const account = toObject(piece.userAccount);
  const address = firstText(account.userPrincipalName, piece.primaryAddress);
  return {
    id: firstId(account.azureAdUserId, account.userSid, address, account.accountName),
    name: firstText(account.displayName, piece.displayName, account.accountName),
    userPrincipalName: address,
    ...readJudgement(piece),
  };
}

/** The user who ran a process. The verdict is about the process, so it is dropped. */
function readProcessUser({ userAccount }: JsonObject): FoundElement<AlertUser> {
  return readUser({ userAccount });
}

/** A process by the file it runs. */
function readProcess(piece: JsonObject): FoundElements {
  return {
    users: [readProcessUser(piece)],
    files: [
      readFile(toObject(piece.imageFile), readJudgement(piece)),
      readFile(toObject(piece.parentProcessImageFile)),
    ],
    devices: [foundDevice({ defenderDeviceId: piece.mdeDeviceId })],
  };
}

function readFile(file: JsonObject, judgement?: Judgement): FoundElement<AlertFile> {
  const { fileName, filePath, sha256, sha1, md5, fileSize } = file;
  return foundFile({ name: fileName, path: filePath, sha256, sha1, md5, size: fileSize }, judgement);
}

function readFileEvidence(piece: JsonObject): FoundElements {
  return {
    files: [readFile(toObject(piece.fileDetails), readJudgement(piece))],
    devices: [foundDevice({ defenderDeviceId: piece.mdeDeviceId })],
  };
}

/** Malware by the files that contain it and the processes that run it. */
function readMalware({ files, processes }: JsonObject): FoundElements {
  const found = [
    ...toList(files).filter(isObject).map(readFileEvidence),
    ...toList(processes).filter(isObject).map(readProcess),
  ];
  return {
    users: found.flatMap(({ users }) => users ?? []),
    files: found.flatMap((each) => each.files ?? []),
    devices: found.flatMap(({ devices }) => devices ?? []),
  };
}

function readNameResolution({ hostIpAddress, dnsServerIp, ipAddresses }: JsonObject): FoundElements {
  return { ips: [hostIpAddress, dnsServerIp, ...toList(ipAddresses)].map((address) => readIp(toObject(address))) };
}

function readDevice(piece: JsonObject): FoundElement<AlertDevice> {
  return foundDevice(
    {
      azureAdDeviceId: piece.azureAdDeviceId,
      defenderDeviceId: firstText(piece.mdeDeviceId, piece.deviceId),
      name: firstText(piece.deviceDnsName, piece.hostName, piece.deviceName),
      os: firstText(piece.osPlatform, piece.operatingSystem),
      osVersion: piece.version,
    },
    readJudgement(piece),
  );
}

function readIp(piece: JsonObject): FoundElement<AlertIp> {
  return foundIp(piece.ipAddress, piece.countryLetterCode, readJudgement(piece));
}

/** A blob is a file of a storage account, which has the address in place of a folder. */
function readBlob(piece: JsonObject): FoundElement<AlertFile> {
  const hashes = toList(piece.fileHashes).filter(isObject).map(readHash);
  return foundFile(
    { ...Object.assign({}, ...hashes), name: piece.name, path: toObject(piece.blobContainer).url },
    readJudgement(piece),
  );
}

/** A hash by the name of its algorithm. */
function readHash({ algorithm, value }: JsonObject): JsonObject {
  return { [toText(algorithm)?.toLowerCase() ?? '']: value };
}

function readSecurityGroup(piece: JsonObject): FoundElement<AlertGroup> {
  return { id: toText(piece.securityGroupId), name: toText(piece.displayName), ...readJudgement(piece) };
}

function readTeam(piece: JsonObject): FoundElement<AlertGroup> {
  return { id: toText(piece.groupId), name: null, ...readJudgement(piece) };
}

function readMessage(piece: JsonObject): FoundElement<AlertEmail> {
  const sender = firstText(toObject(piece.p2Sender).emailAddress, toObject(piece.p1Sender).emailAddress);
  return toEmail(piece, {
    internetMessageId: toText(piece.internetMessageId),
    sender,
    recipient: toText(piece.recipientEmailAddress),
    receivedAt: formatReceivedTime(piece.receivedDateTime),
    deliveryAction: toText(piece.deliveryAction),
  });
}

function readSubmission(piece: JsonObject): FoundElement<AlertEmail> {
  return toEmail(piece, { sender: toText(piece.sender), recipient: toText(piece.recipient) });
}

function readCluster(piece: JsonObject): FoundElement<AlertEmail>[] {
  return toList(piece.networkMessageIds).map((id) => toEmail({ networkMessageId: id, verdict: piece.verdict }, {}));
}

function toEmail(piece: JsonObject, given: Partial<AlertEmail>): FoundElement<AlertEmail> {
  const networkMessageId = toText(piece.networkMessageId);
  return {
    id: networkMessageId ?? given.internetMessageId ?? null,
    internetMessageId: null,
    networkMessageId,
    subject: toText(piece.subject),
    sender: null,
    recipient: null,
    receivedAt: null,
    deliveryAction: null,
    ...given,
    verdict: toText(piece.verdict),
  };
}

function toApp(
  piece: JsonObject,
  kind: string,
  given: { id?: Json | undefined; appId?: Json | undefined; name: Json | undefined },
): FoundElement<AlertApp> {
  return {
    id: firstText(given.id, given.appId),
    appId: toText(given.appId),
    name: toText(given.name),
    kind,
    verdict: toText(piece.verdict),
  };
}

function readJudgement(piece: JsonObject): Judgement {
  return {
    roles: toTexts(piece.roles),
    verdict: toText(piece.verdict),
  };
}

const readers = new Map<string, (piece: JsonObject) => FoundElements>([
  ['userEvidence', (piece) => ({ users: [readUser(piece)] })],
  ['mailboxEvidence', (piece) => ({ users: [readUser(piece)] })],
  ['processEvidence', readProcess],
  ['fileEvidence', readFileEvidence],
  ['fileHashEvidence', (piece) => ({ files: [foundFile(readHash(piece), readJudgement(piece))] })],
  ['blobEvidence', (piece) => ({ files: [readBlob(piece)] })],
  ['deviceEvidence', (piece) => ({ devices: [readDevice(piece)] })],
  ['ioTDeviceEvidence', (piece) => ({ devices: [readDevice(piece)], ips: [readIp(toObject(piece.ipAddress))] })],
  ['iotDeviceEvidence', (piece) => ({ devices: [readDevice(piece)], ips: [readIp(toObject(piece.ipAddress))] })],
  ['ipEvidence', (piece) => ({ ips: [readIp(piece)] })],
  [
    'networkConnectionEvidence',
    (piece) => ({ ips: [readIp(toObject(piece.sourceAddress)), readIp(toObject(piece.destinationAddress))] }),
  ],
  ['nicEvidence', (piece) => ({ ips: [readIp(toObject(piece.ipAddress))] })],
  ['dnsEvidence', readNameResolution],
  [
    'hostLogonSessionEvidence',
    ({ account, host }) => ({ users: [readUser(toObject(account))], devices: [readDevice(toObject(host))] }),
  ],
  ['cloudLogonSessionEvidence', ({ account }) => ({ users: [readUser(toObject(account))] })],
  ['malwareEvidence', readMalware],
  ['securityGroupEvidence', (piece) => ({ groups: [readSecurityGroup(piece)] })],
  ['teamsMessageEvidence', (piece) => ({ groups: [readTeam(piece)] })],
  ['analyzedMessageEvidence', (piece) => ({ emails: [readMessage(piece)], ips: [foundIp(piece.senderIp, null)] })],
  ['submissionMailEvidence', (piece) => ({ emails: [readSubmission(piece)] })],
  ['mailClusterEvidence', (piece) => ({ emails: readCluster(piece) })],
  [
    'oauthApplicationEvidence',
    (piece) => ({
      apps: [toApp(piece, 'oauthApplication', { id: piece.objectId, appId: piece.appId, name: piece.displayName })],
    }),
  ],
  [
    'servicePrincipalEvidence',
    (piece) => ({
      apps: [
        toApp(piece, 'servicePrincipal', {
          id: piece.servicePrincipalObjectId,
          appId: piece.appId,
          name: piece.servicePrincipalName,
        }),
      ],
    }),
  ],
  [
    'cloudApplicationEvidence',
    (piece) => ({ apps: [toApp(piece, 'cloudApplication', { appId: piece.appId, name: piece.displayName })] }),
  ],
  // An agent's instructions are left out: they require the scope for agents.
  ['aiAgentEvidence', (piece) => ({ apps: [toApp(piece, 'agent', { id: piece.agentId, name: piece.agentName })] })],
]);
