import { asked, openAdminPool } from '../admin/database.ts';
import { type Acting, type Change, change } from './acting.ts';
import { type AuditQuery, readAudit, verifyAudit } from './audit.ts';
import { listUsedKeys, showUsedKey } from './key-use.ts';
import { changePerson, enterPerson, findPerson, listPeople, type PersonChange, type PersonSource } from './people.ts';
import { beginSession, endSession, findSession, listSessions, noteAuthentication } from './sessions.ts';

/** What the console asks and changes, with the admin's login. Each change is one transaction that says who makes it. */
export type ConsoleStore = Awaited<ReturnType<typeof connectConsole>>;

/** Opens the control database. Throws StoreUnavailable where it does not answer. */
export async function connectConsole(url: string) {
  const pool = await openAdminPool(url, null);
  return {
    pool,
    change: <Value>(by: Acting, work: (transaction: Change) => Promise<Value>) => change(pool, by, work),
    people: {
      list: (organizationId: string) => asked(listPeople(pool, organizationId)),
      find: (by: { source: PersonSource; subject: string }) => asked(findPerson(pool, by)),
      enter: enterPerson,
      change: (by: Acting, name: { organizationId: string; id: string }, wanted: PersonChange) =>
        changePerson(pool, by, name, wanted),
    },
    sessions: {
      begin: beginSession,
      find: (secret: string) => findSession(pool, secret),
      list: (personId: string) => listSessions(pool, personId),
      noteAuthentication,
      end: endSession,
    },
    keys: {
      list: (organizationId: string) => listUsedKeys(pool, organizationId),
      show: (organizationId: string, id: string) => showUsedKey(pool, organizationId, id),
    },
    audit: {
      read: (query: AuditQuery) => readAudit(pool, query),
      verify: (organizationId: string) => verifyAudit(pool, organizationId),
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
