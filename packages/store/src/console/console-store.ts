import { defaultCell } from '@tenantscope/runtime';
import type { DatabasePool } from 'slonik';
import { sql } from 'slonik';
import { createCellPools, type InstallationUrls } from '../admin/cell-pools.ts';
import { openAdminPool, type PoolLimits, translateErrors, withTimeout } from '../admin/database.ts';
import { listProcesses } from '../admin/processes.ts';
import { listPlaygroundRuns, recordAuditEvent, recordPlaygroundRun } from './audit-events.ts';
import {
  type AuditPeriod,
  type AuditQuery,
  readAuditEvents,
  readAuditHead,
  streamAuditEvents,
  verifyAudit,
} from './audit-log.ts';
import { type AuditContext, type AuditedTransaction, withAuditedTransaction } from './audited-transaction.ts';
import { createCellReaders } from './cell-readers.ts';
import {
  addAuthenticator,
  addPasskey,
  findPasskey,
  listCredentials,
  listPasskeys,
  recordPasskeyUse,
  removeCredential,
  replaceCredentials,
} from './credentials.ts';
import { listKeys, readKeyUsage, readUsedDays } from './key-usage.ts';
import { createKey, limitKeyExpiry, revokeKey, setKeyLifetime, updateKey } from './keys.ts';
import {
  findMember,
  findMemberById,
  listMembers,
  type MemberSource,
  type MemberUpdate,
  updateMember,
  upsertMember,
} from './members.ts';
import { quickTimeoutMs } from './quick-timeout.ts';
import {
  beginSession,
  endSession,
  endSessions,
  findSession,
  listSessions,
  recordAuthentication,
  wasSessionEnded,
} from './sessions.ts';
import {
  acceptSetUpToken,
  createInvitation,
  createSetUpToken,
  listInvitations,
  readSetUpToken,
  revokeInvitation,
} from './set-up-tokens.ts';
import {
  type AttemptBucket,
  beginAttempt,
  type Credential,
  consumeChallenge,
  consumeCredential,
  readCredentials,
  recordSignInFailure,
  releaseAttempt,
  type SignInAttempt,
} from './sign-ins.ts';

/** The console's queries and changes, with the admin login. Each change is one transaction that names its actor. */
export type ConsoleStore = Awaited<ReturnType<typeof connectConsole>>;

// A user waits for the response.
const poolLimits: PoolLimits = { connectTimeoutMs: 2_000, queryTimeoutMs: 7_000, maxConnections: 10 };
const openModelsAudit = (open: () => Promise<DatabasePool>) => ({
  read: async (query: AuditQuery) => readAuditEvents(await open(), query, 'models'),
  verify: async (chain: string) => verifyAudit(await open(), chain, 'models'),
});

/** Opens the control database, and the read models for the state of the feeds. Throws StoreUnavailable when one does not respond. */
export async function connectConsole(urls: InstallationUrls) {
  const pool = await openAdminPool(urls.control, null, poolLimits);
  const cells = createCellPools({ control: pool, urls }, null, poolLimits);
  // Of several cells each may be down.
  if (cells.names.length === 1) await cells.open(defaultCell);
  return {
    transaction: <Value>(by: AuditContext, work: (transaction: AuditedTransaction) => Promise<Value>) =>
      withAuditedTransaction(pool, by, work),
    members: {
      list: (organizationId: string) => translateErrors(listMembers(pool, organizationId)),
      find: (by: { source: MemberSource; subject: string }) => translateErrors(findMember(pool, by)),
      findById: (id: string) => translateErrors(findMemberById(pool, id)),
      upsert: upsertMember,
      update: (by: AuditContext, name: { organizationId: string; id: string }, input: MemberUpdate) =>
        updateMember(pool, by, name, input),
    },
    sessions: {
      begin: beginSession,
      find: (secret: string, isAttended = true) => withTimeout(quickTimeoutMs, findSession(pool, secret, isAttended)),
      wasEnded: (secret: string) => wasSessionEnded(pool, secret),
      list: (memberId: string) => listSessions(pool, memberId),
      recordAuthentication: recordAuthentication,
      end: endSession,
      endAll: endSessions,
    },
    signIns: {
      beginAttempt: (places: readonly AttemptBucket[]) => beginAttempt(pool, places),
      releaseAttempt: (taken: SignInAttempt) => releaseAttempt(pool, taken),
      recordFailure: (of: Parameters<typeof recordSignInFailure>[1]) => recordSignInFailure(pool, of),
      credentials: (memberId: string) => readCredentials(pool, memberId),
      consumeCredential: (used: Credential & { step: number | null }, by: AuditContext) =>
        consumeCredential(pool, used, by),
      consumeChallenge: (challenge: string) => consumeChallenge(pool, challenge),
    },
    setUpTokens: {
      create: createSetUpToken,
      read: (token: string) => readSetUpToken(pool, token),
      accept: acceptSetUpToken,
      invite: createInvitation,
      listInvitations: (organizationId: string) => listInvitations(pool, organizationId),
      revokeInvitation,
    },
    credentials: {
      list: (memberId: string) => listCredentials(pool, memberId),
      findPasskey: (credentialId: string) => findPasskey(pool, credentialId),
      passkeys: (memberId: string) => listPasskeys(pool, memberId),
      addPasskey,
      addAuthenticator,
      replace: replaceCredentials,
      recordUse: recordPasskeyUse,
      remove: removeCredential,
    },
    keys: {
      list: (organizationId: string) => listKeys(pool, organizationId),
      usedDays: (ids: readonly string[]) => readUsedDays(pool, ids),
      read: (organizationId: string, id: string) => readKeyUsage(pool, organizationId, id),
      create: createKey,
      revoke: revokeKey,
      limitExpiry: limitKeyExpiry,
      update: updateKey,
    },
    setKeyLifetime,
    audit: {
      read: (query: AuditQuery) => readAuditEvents(pool, query),
      stream: (period: AuditPeriod) => streamAuditEvents(pool, period),
      head: (organizationId: string) => readAuditHead(pool, organizationId),
      verify: (organizationId: string) => verifyAudit(pool, organizationId),
      /** The audit log of the read models; null where they share the database, and its log, with the control schema. */
      ofModels: urls.models === urls.control ? null : openModelsAudit(() => cells.open(defaultCell)),
    },
    recordEvent: recordAuditEvent,
    runs: {
      record: recordPlaygroundRun,
      list: (memberId: string, tenantIds: readonly string[]) => listPlaygroundRuns(pool, memberId, tenantIds),
    },
    ...createCellReaders(cells, pool),
    processes: () => translateErrors(listProcesses(pool)),
    async ping() {
      await translateErrors(pool.query(sql.unsafe`select 1`));
    },
    async [Symbol.asyncDispose]() {
      await pool.end();
      await cells[Symbol.asyncDispose]();
    },
  };
}
