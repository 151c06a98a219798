import type { Route } from '../api/route.ts';
import { addAuthenticator, changePassword, renewRecoveryCodes } from './handlers/account.ts';
import { exportAudit, listAuditEvents, verifyAudit } from './handlers/audit.ts';
import { addPasskey, listCredentials, offerPasskeyCreation, removeCredential } from './handlers/credentials.ts';
import {
  endSession,
  listRoleContacts,
  listSessions,
  readCurrentSession,
  reauthenticate,
} from './handlers/current-session.ts';
import {
  listDeadLetters,
  readDeadLetter,
  readDeadLetterRequest,
  requestDeadLetterAction,
} from './handlers/dead-letters.ts';
import { listFeeds, readFeedActivity } from './handlers/feeds.ts';
import { inviteMember, listInvitations, revokeInvitation } from './handlers/invitations.ts';
import { changeKey, createKey, listKeyNames, listKeys, readKey, revokeKey } from './handlers/keys.ts';
import { changeMember, endMemberSessions, listMembers } from './handlers/members.ts';
import { changeOrganization } from './handlers/organization.ts';
import { listOperations, listPlaygroundRuns, runInPlayground } from './handlers/playground.ts';
import { settled } from './handlers/settled.ts';
import type { Handler } from './http/handler.ts';

/** The handler of every route with a session. */
export const handlers: readonly Handler[] = [
  readCurrentSession,
  reauthenticate,
  listCredentials,
  offerPasskeyCreation,
  addPasskey,
  removeCredential,
  changePassword,
  renewRecoveryCodes,
  addAuthenticator,
  changeOrganization,
  settled,
  listKeys,
  listKeyNames,
  readKey,
  createKey,
  revokeKey,
  changeKey,
  listOperations,
  runInPlayground,
  listPlaygroundRuns,
  listFeeds,
  readFeedActivity,
  listDeadLetters,
  readDeadLetter,
  requestDeadLetterAction,
  readDeadLetterRequest,
  listAuditEvents,
  verifyAudit,
  exportAudit,
  listRoleContacts,
  listMembers,
  changeMember,
  endMemberSessions,
  listInvitations,
  inviteMember,
  revokeInvitation,
  listSessions,
  endSession,
];

/** Every declared endpoint with a session. */
export const routes: readonly Route[] = handlers.map(({ route }) => route);
