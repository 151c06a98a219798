import { exportAudit, listAudit, verifyAudit } from './api/audit.ts';
import { addPasskey, listCredentials, offerPasskeyCreation, removeCredential } from './api/credentials.ts';
import { listFeeds } from './api/feeds.ts';
import { changeKey, createKey, listKeys, revokeKey, showKey } from './api/keys.ts';
import { listDeadLetters, requestLetters, showDeadLetter, showLetterRequest } from './api/letters.ts';
import { me } from './api/me.ts';
import { listOpeners } from './api/openers.ts';
import { changeOrganization } from './api/organization.ts';
import { changePerson, endSession, endSessions, listPeople, listSessions } from './api/people.ts';
import { listOperations, playgroundHistory, runInPlayground } from './api/playground.ts';
import { reauthenticate } from './api/reauthenticate.ts';
import { settled } from './api/settled.ts';
import type { Route } from './route.ts';

/** Everything that asks for a session. Nothing is registered anywhere else. */
export const routes: readonly Route[] = [
  me,
  reauthenticate,
  listCredentials,
  offerPasskeyCreation,
  addPasskey,
  removeCredential,
  changeOrganization,
  settled,
  listKeys,
  showKey,
  createKey,
  revokeKey,
  changeKey,
  listOperations,
  runInPlayground,
  playgroundHistory,
  listFeeds,
  listDeadLetters,
  showDeadLetter,
  requestLetters,
  showLetterRequest,
  listAudit,
  verifyAudit,
  exportAudit,
  listOpeners,
  listPeople,
  changePerson,
  endSessions,
  listSessions,
  endSession,
];
