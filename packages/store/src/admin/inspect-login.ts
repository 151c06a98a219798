import pg from 'pg';
import { parseDatabaseUrl } from '../connection/database-url.ts';

/** What a login meets at its server, before the processes start. */
export interface LoginInspection {
  readonly login: string;
  /** Major and minor version, such as `18.4`. */
  readonly serverVersion: string;
  readonly majorVersion: number;
  readonly isSuperuser: boolean;
  readonly bypassesRowSecurity: boolean;
  readonly canCreateRoles: boolean;
  readonly ownsDatabase: boolean;
  /** A standby, which accepts no writes. */
  readonly isStandby: boolean;
  /** A pooler is between: the process of the connection is not the one that executes statements. */
  readonly isPooled: boolean;
  /** The server's clock minus ours, in milliseconds; the request's duration is its error. */
  readonly clockOffsetMs: number;
  readonly maxConnections: number;
  readonly databaseBytes: number;
  readonly hasAutovacuum: boolean;
  readonly maxWalMegabytes: number;
  readonly compressesWal: boolean;
  /** When the server's certificate expires, or null without TLS. */
  readonly certificateExpiresAt: Date | null;
}

/** Connects with one login and asks what it can do. Changes nothing. Throws the driver's error where the server refuses it. */
export async function inspectLogin(url: string, timeoutMs: number): Promise<LoginInspection> {
  const { connectionString, ssl } = parseDatabaseUrl(url);
  const client = new pg.Client({
    connectionString,
    ssl,
    application_name: 'tenantscope doctor',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // Reported by the statement that it interrupts.
  client.on('error', () => {});
  await client.connect();
  try {
    const sentAtMs = Date.now();
    const { rows } = await client.query<InspectedRow>(inspection);
    const [row] = rows;
    if (row === undefined) throw new Error('the login was not found in pg_roles');
    const { pid, clockMs, ...facts } = row;
    return {
      ...facts,
      databaseBytes: Number(facts.databaseBytes),
      isPooled: pid !== (client as unknown as { processID: number }).processID,
      clockOffsetMs: Math.round(clockMs - (sentAtMs + Date.now()) / 2),
      certificateExpiresAt: readExpiry(client),
    };
  } finally {
    await client.end();
  }
}

type InspectedRow = Omit<LoginInspection, 'isPooled' | 'clockOffsetMs' | 'certificateExpiresAt' | 'databaseBytes'> & {
  readonly pid: number;
  readonly clockMs: number;
  readonly databaseBytes: string;
};

const inspection = `
  select current_user as login, split_part(current_setting('server_version'), ' ', 1) as "serverVersion",
         current_setting('server_version_num')::integer / 10000 as "majorVersion",
         r.rolsuper as "isSuperuser", r.rolbypassrls as "bypassesRowSecurity", r.rolcreaterole as "canCreateRoles",
         pg_has_role(d.datdba, 'usage') as "ownsDatabase", pg_is_in_recovery() as "isStandby",
         pg_backend_pid() as pid, extract(epoch from clock_timestamp())::float8 * 1000 as "clockMs",
         current_setting('max_connections')::integer as "maxConnections", pg_database_size(d.oid)::text as "databaseBytes",
         current_setting('autovacuum')::boolean as "hasAutovacuum", current_setting('wal_compression') <> 'off' as "compressesWal",
         (select setting::integer from pg_settings where name = 'max_wal_size') as "maxWalMegabytes"
    from pg_roles r join pg_database d on d.datname = current_database()
   where r.rolname = current_user`;

/** The driver replaces the stream of a connection by the one with TLS. */
function readExpiry(client: pg.Client): Date | null {
  const { stream } = (client as unknown as { connection: { stream: object } }).connection;
  if (!('getPeerCertificate' in stream)) return null;
  const { valid_to } = (stream as { getPeerCertificate(): { valid_to: string } }).getPeerCertificate();
  return new Date(valid_to);
}
