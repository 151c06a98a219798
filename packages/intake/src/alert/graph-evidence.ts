import { type AlertApp, type AlertEmail, type AlertGroup, type AlertUser, formatTime } from '@tenantscope/contract';
import { lowerFirst } from '../field/case.ts';
import { readTime } from '../field/time.ts';
import { firstText, isObject, type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import type { AlertElements } from './alert.ts';
import { type FoundElement, mergeElements } from './merge-elements.ts';

/**
 * Users, groups, mails and applications of `evidence`; the forty other kinds of evidence are only in the alert as received.
 */
export function readEvidenceElements(evidence: Json | undefined): AlertElements {
  const found = toList(evidence)
    .filter(isObject)
    .map((piece) => readers.get(readType(piece))?.(piece) ?? {});
  return {
    users: mergeElements(found.flatMap(({ users }) => users ?? [])),
    groups: mergeElements(found.flatMap(({ groups }) => groups ?? [])),
    emails: mergeElements(found.flatMap(({ emails }) => emails ?? [])),
    apps: mergeElements(found.flatMap(({ apps }) => apps ?? [])),
  };
}

interface FoundElements {
  readonly users?: readonly FoundElement<AlertUser>[];
  readonly groups?: readonly FoundElement<AlertGroup>[];
  readonly emails?: readonly FoundElement<AlertEmail>[];
  readonly apps?: readonly FoundElement<AlertApp>[];
}

/** `#microsoft.graph.security.userEvidence` → `userEvidence`. */
function readType(piece: JsonObject): string {
  const type = toText(piece['@odata.type']) ?? '';
  return lowerFirst(type.slice(type.lastIndexOf('.') + 1));
}

function readUser(piece: JsonObject): FoundElement<AlertUser> {
  const account = toObject(piece.userAccount);
  const address = firstText(account.userPrincipalName, piece.primaryAddress);
  return {
    id: firstText(account.azureAdUserId, account.userSid, address, account.accountName),
    name: firstText(account.displayName, piece.displayName, account.accountName),
    userPrincipalName: address,
    ...readJudgement(piece),
  };
}

/** The user who ran a process. The verdict is about the process, so it is dropped. */
function readProcessUser({ userAccount }: JsonObject): FoundElement<AlertUser> {
  return readUser({ userAccount });
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

function readJudgement(piece: JsonObject): { roles: string[]; verdict: string | null } {
  return {
    roles: toList(piece.roles).flatMap((role) => toText(role) ?? []),
    verdict: toText(piece.verdict),
  };
}

function formatReceivedTime(value: Json | undefined): string | null {
  const ms = readTime(toText(value) ?? '');
  return ms === null ? null : formatTime(ms);
}

const readers = new Map<string, (piece: JsonObject) => FoundElements>([
  ['userEvidence', (piece) => ({ users: [readUser(piece)] })],
  ['mailboxEvidence', (piece) => ({ users: [readUser(piece)] })],
  ['processEvidence', (piece) => ({ users: [readProcessUser(piece)] })],
  ['securityGroupEvidence', (piece) => ({ groups: [readSecurityGroup(piece)] })],
  ['teamsMessageEvidence', (piece) => ({ groups: [readTeam(piece)] })],
  ['analyzedMessageEvidence', (piece) => ({ emails: [readMessage(piece)] })],
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
