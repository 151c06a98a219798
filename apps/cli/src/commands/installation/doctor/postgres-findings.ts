import {
  cellVariables,
  databaseUrl,
  describePostgresError,
  postgresVariables,
  readCells,
  readConfig,
} from '@tenantscope/runtime';
import { inspectLogin, type LoginInspection } from '@tenantscope/store/admin';
import { z } from 'zod';
import type { Environment } from '../../../connections/environment.ts';
import { listCells } from './cell-findings.ts';
import { checkCertificate, type Finding } from './finding.ts';

/** Names of variables with a login, of which an environment has those of its process. */
const logins = ['API', 'KEYS', 'INGEST', 'ADMIN', 'CONSOLE', 'JOBS', 'COLLECT', 'OWNER'] as const;

const oldestVersion = 15;
/** Processes order events by the server's clock; the status shows times of ours. */
const toleratedOffsetMs = 1_000;
const timeoutMs = 5_000;
/** With a smaller one a busy hour causes checkpoints, after which each changed page is written to the WAL as a whole. */
const leastWalMegabytes = 4_096;

/** Logins that are of the read models, with one password in all cells. */
const cellLogins = ['API', 'INGEST', 'ADMIN', 'CONSOLE', 'JOBS', 'OWNER'] as const;

/** Logins that have a URL of their own for the control database, where it is not the database of the read models. */
const controlLogins = ['INGEST', 'ADMIN', 'CONSOLE', 'JOBS', 'OWNER'] as const;

/** Checks every database login of the environment, also in the control database and in the databases of its further cells. */
export async function checkPostgres(environment: Environment): Promise<readonly Finding[]> {
  const present = [
    ...logins.map((login) => `TENANTSCOPE_${login}_DATABASE_URL`),
    ...controlLogins.map((login) => `TENANTSCOPE_${login}_CONTROL_DATABASE_URL`),
  ].filter((name) => environment[name] || environment[`${name}_FILE`]);
  const own = present.map((name) => checkLogin(`PostgreSQL, ${name}`, name, () => readUrl(environment, name)));
  return (await Promise.all([...own, ...checkCellLogins(environment, present)])).flat();
}

function checkCellLogins(environment: Environment, present: readonly string[]): Promise<readonly Finding[]>[] {
  const names = cellLogins.map((login) => `TENANTSCOPE_${login}_DATABASE_URL`).filter((name) => present.includes(name));
  return listCells(environment).flatMap((cell) =>
    names.map((name) =>
      checkLogin(`PostgreSQL, ${name} of the cell ${cell}`, name, () => {
        const config = readConfig(z.object({ ...cellVariables, ...postgresVariables }), environment);
        const found = readCells(config, readUrl(environment, name), environment).find(({ name: own }) => own === cell);
        if (found === undefined) throw new Error(`TENANTSCOPE_CELLS does not name the cell ${cell}`);
        return found.database;
      }),
    ),
  );
}

const readUrl = (environment: Environment, name: string): string =>
  (readConfig(z.object({ [name]: databaseUrl(''), ...postgresVariables }), environment) as Record<string, unknown>)[
    name
  ] as string;

async function checkLogin(subject: string, name: string, readAddress: () => string): Promise<readonly Finding[]> {
  try {
    const inspected = await inspectLogin(readAddress(), timeoutMs);
    const isOwner = name.startsWith('TENANTSCOPE_OWNER_');
    return [
      ...describeLogin(subject, inspected, isOwner),
      // Once for each server of read models, where the rows are written.
      ...(name === 'TENANTSCOPE_INGEST_DATABASE_URL' ? describeSettings(`${subject}, settings`, inspected) : []),
      ...checkCertificate(subject, inspected.certificateExpiresAt),
    ];
  } catch (error) {
    return [{ subject, result: 'failed', detail: describePostgresError(error) ?? (error as Error).message }];
  }
}

function describeLogin(subject: string, inspected: LoginInspection, isOwner: boolean): readonly Finding[] {
  const { login, serverVersion, majorVersion, clockOffsetMs, isStandby, isPooled } = inspected;
  const problems: Omit<Finding, 'subject'>[] = [];
  const fail = (detail: string) => problems.push({ result: 'failed', detail });
  const warn = (detail: string) => problems.push({ result: 'warning', detail });
  if (majorVersion < oldestVersion) fail(`version ${serverVersion}; use ${oldestVersion} or later`);
  if (inspected.isSuperuser || inspected.bypassesRowSecurity)
    fail(`${login} is a superuser or bypasses row-level security; use a login that is bound by it`);
  if (isOwner && !inspected.canCreateRoles) fail(`${login} cannot create roles; ALTER ROLE ${login} CREATEROLE`);
  if (isOwner && !inspected.ownsDatabase)
    fail(`${login} does not own the database; ALTER DATABASE … OWNER TO ${login}`);
  if (!isOwner && inspected.canCreateRoles)
    fail(`${login} may create roles; use the login that "tenantscope migrate" creates`);
  if (isStandby) fail('the server is a standby; use the address of the primary');
  if (isPooled)
    warn(
      'the connection passes through a pooler; set it to transaction mode, and give "tenantscope migrate" the address of the server',
    );
  if (Math.abs(clockOffsetMs) > toleratedOffsetMs)
    warn(`its clock is ${clockOffsetMs} ms from the clock here; synchronize both by NTP`);
  if (problems.length > 0) return problems.map((problem) => ({ subject, ...problem }));
  const megabytes = Math.round(inspected.databaseBytes / 1_048_576);
  const detail = `version ${serverVersion}, login ${login}, ${megabytes} MiB, clock ${clockOffsetMs} ms`;
  return [{ subject, result: 'ok', detail }];
}

function describeSettings(subject: string, inspected: LoginInspection): readonly Finding[] {
  const { hasAutovacuum, maxWalMegabytes, compressesWal } = inspected;
  const warnings: string[] = [];
  if (!hasAutovacuum)
    warnings.push(
      'autovacuum is off; turn it on: lanes are updated several times a second, and counts with each batch',
    );
  if (maxWalMegabytes < leastWalMegabytes)
    warnings.push(`max_wal_size is ${maxWalMegabytes} MB; set at least ${leastWalMegabytes} MB`);
  if (!compressesWal) warnings.push('wal_compression is off; set pglz, which saves a quarter of the WAL');
  if (warnings.length > 0) return warnings.map((detail) => ({ subject, result: 'warning', detail }));
  return [{ subject, result: 'ok', detail: `autovacuum, max_wal_size ${maxWalMegabytes} MB, compressed WAL` }];
}
