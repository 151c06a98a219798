import { type AlertApp, type AlertEmail, type AlertGroup, type AlertUser, showTime } from '@tenantscope/contract';
import { lowerFirst } from '../field/case.ts';
import { readTime } from '../field/time.ts';
import { firstText, isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import type { AlertElements } from './alert.ts';
import { distinct, type Found } from './element.ts';

/** Users, groups, mails and applications of `evidence`; the forty other kinds of evidence stay in the alert as received. */
export function elementsOfEvidence(evidence: Json | undefined): AlertElements {
  const found = listOf(evidence)
    .filter(isObject)
    .map((piece) => readers.get(typeOf(piece))?.(piece) ?? {});
  return {
    users: distinct(found.flatMap(({ users }) => users ?? [])),
    groups: distinct(found.flatMap(({ groups }) => groups ?? [])),
    emails: distinct(found.flatMap(({ emails }) => emails ?? [])),
    apps: distinct(found.flatMap(({ apps }) => apps ?? [])),
  };
}

interface FoundElements {
  readonly users?: readonly Found<AlertUser>[];
  readonly groups?: readonly Found<AlertGroup>[];
  readonly emails?: readonly Found<AlertEmail>[];
  readonly apps?: readonly Found<AlertApp>[];
}

/** `#microsoft.graph.security.userEvidence` → `userEvidence`. */
function typeOf(piece: JsonObject): string {
  const type = textOf(piece['@odata.type']) ?? '';
  return lowerFirst(type.slice(type.lastIndexOf('.') + 1));
}

function userOf(piece: JsonObject): Found<AlertUser> {
  const account = objectOf(piece.userAccount);
  const address = firstText(account.userPrincipalName, piece.primaryAddress);
  return {
    id: firstText(account.azureAdUserId, account.userSid, address, account.accountName),
    name: firstText(account.displayName, piece.displayName, account.accountName),
    userPrincipalName: address,
    ...judgement(piece),
  };
}

/** Who ran a process. What is judged is the process. */
function runnerOf({ userAccount }: JsonObject): Found<AlertUser> {
  return userOf({ userAccount });
}

function securityGroup(piece: JsonObject): Found<AlertGroup> {
  return { id: textOf(piece.securityGroupId), name: textOf(piece.displayName), ...judgement(piece) };
}

function teamOf(piece: JsonObject): Found<AlertGroup> {
  return { id: textOf(piece.groupId), name: null, ...judgement(piece) };
}

function message(piece: JsonObject): Found<AlertEmail> {
  const sender = firstText(objectOf(piece.p2Sender).emailAddress, objectOf(piece.p1Sender).emailAddress);
  return mailOf(piece, {
    internetMessageId: textOf(piece.internetMessageId),
    sender,
    recipient: textOf(piece.recipientEmailAddress),
    receivedAt: shownTime(piece.receivedDateTime),
    deliveryAction: textOf(piece.deliveryAction),
  });
}

function submission(piece: JsonObject): Found<AlertEmail> {
  return mailOf(piece, { sender: textOf(piece.sender), recipient: textOf(piece.recipient) });
}

function cluster(piece: JsonObject): Found<AlertEmail>[] {
  return listOf(piece.networkMessageIds).map((id) => mailOf({ networkMessageId: id, verdict: piece.verdict }, {}));
}

function mailOf(piece: JsonObject, known: Partial<AlertEmail>): Found<AlertEmail> {
  const networkMessageId = textOf(piece.networkMessageId);
  return {
    id: networkMessageId ?? known.internetMessageId ?? null,
    internetMessageId: null,
    networkMessageId,
    subject: textOf(piece.subject),
    sender: null,
    recipient: null,
    receivedAt: null,
    deliveryAction: null,
    ...known,
    verdict: textOf(piece.verdict),
  };
}

function appOf(
  piece: JsonObject,
  kind: string,
  known: { id?: Json | undefined; appId?: Json | undefined; name: Json | undefined },
): Found<AlertApp> {
  return {
    id: firstText(known.id, known.appId),
    appId: textOf(known.appId),
    name: textOf(known.name),
    kind,
    verdict: textOf(piece.verdict),
  };
}

function judgement(piece: JsonObject): { roles: string[]; verdict: string | null } {
  return {
    roles: listOf(piece.roles).flatMap((role) => textOf(role) ?? []),
    verdict: textOf(piece.verdict),
  };
}

function shownTime(value: Json | undefined): string | null {
  const ms = readTime(textOf(value) ?? '');
  return ms === null ? null : showTime(ms);
}

const readers = new Map<string, (piece: JsonObject) => FoundElements>([
  ['userEvidence', (piece) => ({ users: [userOf(piece)] })],
  ['mailboxEvidence', (piece) => ({ users: [userOf(piece)] })],
  ['processEvidence', (piece) => ({ users: [runnerOf(piece)] })],
  ['securityGroupEvidence', (piece) => ({ groups: [securityGroup(piece)] })],
  ['teamsMessageEvidence', (piece) => ({ groups: [teamOf(piece)] })],
  ['analyzedMessageEvidence', (piece) => ({ emails: [message(piece)] })],
  ['submissionMailEvidence', (piece) => ({ emails: [submission(piece)] })],
  ['mailClusterEvidence', (piece) => ({ emails: cluster(piece) })],
  [
    'oauthApplicationEvidence',
    (piece) => ({
      apps: [appOf(piece, 'oauthApplication', { id: piece.objectId, appId: piece.appId, name: piece.displayName })],
    }),
  ],
  [
    'servicePrincipalEvidence',
    (piece) => ({
      apps: [
        appOf(piece, 'servicePrincipal', {
          id: piece.servicePrincipalObjectId,
          appId: piece.appId,
          name: piece.servicePrincipalName,
        }),
      ],
    }),
  ],
  [
    'cloudApplicationEvidence',
    (piece) => ({ apps: [appOf(piece, 'cloudApplication', { appId: piece.appId, name: piece.displayName })] }),
  ],
  // An agent's instructions stay behind: they belong to the agent, and to those who may read agents.
  ['aiAgentEvidence', (piece) => ({ apps: [appOf(piece, 'agent', { id: piece.agentId, name: piece.agentName })] })],
]);
