import { sql } from 'slonik';
import { asked, openAdminPool, type Patience, within } from '../admin/database.ts';
import { type Acting, type Change, change } from './acting.ts';
import { type AuditPeriod, type AuditQuery, followAudit, readAudit, readAuditHead, verifyAudit } from './audit.ts';
import {
  addPasskey,
  findPasskey,
  listCredentials,
  listPasskeys,
  noteUseOfPasskey,
  removeCredential,
} from './credentials.ts';
import { listMinutes, listSources, reportFeeds } from './feeds.ts';
import { listUsedKeys, showUsedKey } from './key-use.ts';
import { changeKey, endKey, endKeyBy, makeKey, setKeyLifetime } from './keys.ts';
import {
  countReasons,
  countTopics,
  type LetterPlace,
  type LetterQuery,
  type LetterSight,
  listLetters,
  openLetter,
  requestLetters,
  seenLetters,
  showLetterRequest,
} from './letters.ts';
import { listRuns, note, noteRun } from './notes.ts';
import {
  changePerson,
  enterPerson,
  findPerson,
  findPersonById,
  listPeople,
  type PersonChange,
  type PersonSource,
} from './people.ts';
import {
  beginSession,
  endSession,
  endSessions,
  findSession,
  listSessions,
  noteAuthentication,
  wasSessionEnded,
} from './sessions.ts';
import {
  type Credential,
  giveTryBack,
  makeSetUpToken,
  noteFailure,
  readCredentials,
  replaceCredentials,
  spendChallenge,
  spendCredential,
  type Try,
  type TryPlace,
  takeTry,
  useSetUpToken,
} from './sign-ins.ts';

/** What the console asks and changes, with the admin's login. Each change is one transaction that says who makes it. */
export type ConsoleStore = Awaited<ReturnType<typeof connectConsole>>;

// Somebody waits in front of it.
const patience: Patience = { connectTimeoutMs: 2_000, answerTimeoutMs: 7_000, maxConnections: 10 };
/** Every request begins with the session, and every screen shows how far feeds are: what asks for so little is answered at once, or not at all. */
const littleMs = 2_500;

/** Opens the control database, and that of the read models for how feeds stand. Throws StoreUnavailable where it does not answer. */
export async function connectConsole(urls: { models: string; control: string }) {
  const pool = await openAdminPool(urls.control, null, patience);
  const models = urls.models === urls.control ? pool : await openAdminPool(urls.models, null, patience);
  return {
    change: <Value>(by: Acting, work: (transaction: Change) => Promise<Value>) => change(pool, by, work),
    people: {
      list: (organizationId: string) => asked(listPeople(pool, organizationId)),
      find: (by: { source: PersonSource; subject: string }) => asked(findPerson(pool, by)),
      findById: (id: string) => asked(findPersonById(pool, id)),
      enter: enterPerson,
      change: (by: Acting, name: { organizationId: string; id: string }, wanted: PersonChange) =>
        changePerson(pool, by, name, wanted),
    },
    sessions: {
      begin: beginSession,
      find: (secret: string, isAttended = true) => within(littleMs, findSession(pool, secret, isAttended)),
      wasEnded: (secret: string) => wasSessionEnded(pool, secret),
      list: (personId: string) => listSessions(pool, personId),
      noteAuthentication,
      end: endSession,
      endAll: endSessions,
    },
    signIns: {
      take: (places: readonly TryPlace[]) => takeTry(pool, places),
      giveBack: (taken: Try) => giveTryBack(pool, taken),
      fail: (of: Parameters<typeof noteFailure>[1]) => noteFailure(pool, of),
      credentials: (personId: string) => readCredentials(pool, personId),
      spend: (used: Credential & { step: number | null }, personId: string) => spendCredential(pool, used, personId),
      replaceCredentials,
      spendChallenge: (challenge: string) => spendChallenge(pool, challenge),
      makeToken: makeSetUpToken,
      useToken: useSetUpToken,
    },
    credentials: {
      list: (personId: string) => listCredentials(pool, personId),
      findPasskey: (credentialId: string) => findPasskey(pool, credentialId),
      passkeys: (personId: string) => listPasskeys(pool, personId),
      addPasskey,
      noteUse: noteUseOfPasskey,
      remove: removeCredential,
    },
    keys: {
      list: (organizationId: string) => listUsedKeys(pool, organizationId),
      show: (organizationId: string, id: string) => showUsedKey(pool, organizationId, id),
      make: makeKey,
      end: endKey,
      endBy: endKeyBy,
      change: changeKey,
    },
    setKeyLifetime,
    audit: {
      read: (query: AuditQuery) => readAudit(pool, query),
      follow: (period: AuditPeriod) => followAudit(pool, period),
      head: (organizationId: string) => readAuditHead(pool, organizationId),
      verify: (organizationId: string) => verifyAudit(pool, organizationId),
    },
    note,
    runs: {
      note: noteRun,
      list: (personId: string, tenantIds: readonly string[]) => listRuns(pool, personId, tenantIds),
    },
    letters: {
      reasons: (query: LetterQuery) => countReasons({ models, control: pool }, query),
      topics: (query: LetterQuery) => countTopics({ models, control: pool }, query),
      list: (query: LetterQuery, after: LetterPlace | null, limit: number) =>
        listLetters({ models, control: pool }, query, after, limit),
      seen: (sight: LetterSight, ids: readonly string[]) => seenLetters({ models, control: pool }, sight, ids),
      open: (sight: LetterSight, id: string) => openLetter({ models, control: pool }, sight, id),
      request: requestLetters,
      showRequest: (of: Parameters<typeof showLetterRequest>[1]) => showLetterRequest(pool, of),
    },
    feeds: (sight: LetterSight) => within(littleMs, reportFeeds({ models, control: pool }, sight)),
    feedMinutes: () => listMinutes(models),
    sources: (tenantIds: readonly string[]) => listSources(models, tenantIds),
    async ping() {
      await asked(pool.query(sql.unsafe`select 1`));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...new Set([pool, models])].map((one) => one.end()));
    },
  };
}
