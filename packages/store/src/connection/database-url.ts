import { createTlsOptions, readDatabasePasswords, type TlsOptions } from '@tenantscope/runtime';
import { createPasswords, type Passwords } from './passwords.ts';

/** What a driver needs: the URL without TLS parameters and with the settings of a session, and the options of TLS. */
export interface DatabaseAddress {
  readonly connectionString: string;
  readonly ssl: TlsOptions | undefined;
}

/** A URL without its password, which may be rotated. */
export interface PooledAddress extends DatabaseAddress {
  /** Null where the URL has none. */
  readonly passwords: Passwords | null;
}

/**
 * Separates the TLS parameters of a URL (`sslmode=verify-full` and libpq's names of the files), since drivers differ in what they verify and
 * change it between versions. Throws for any other `sslmode`. Days of statements are those of UTC: the time zone of the server or login has no effect.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const { connectionString, ssl } = separateTls(url);
  return { connectionString: addSetting(connectionString, 'timezone', 'UTC'), ssl };
}

function separateTls(url: string): DatabaseAddress {
  // The socket of a local server has a URL without a host, which is not parsed.
  if (!URL.canParse(url)) return { connectionString: url, ssl: undefined };
  const parsed = new URL(url);
  const { searchParams } = parsed;
  const mode = searchParams.get('sslmode');
  if (mode === null) return { connectionString: url, ssl: undefined };
  if (mode !== 'verify-full') throw new Error(`sslmode=${mode} of a PostgreSQL URL is not supported; use verify-full`);
  const file = (name: string) => searchParams.get(name) ?? undefined;
  const ssl = createTlsOptions({ caFile: file('sslrootcert'), certFile: file('sslcert'), keyFile: file('sslkey') });
  for (const name of ['sslmode', 'sslrootcert', 'sslcert', 'sslkey']) searchParams.delete(name);
  return { connectionString: parsed.href, ssl };
}

/** The address of a pool, which connects again for as long as its process runs. */
export function parsePooledUrl(url: string): PooledAddress {
  const { connectionString, ssl } = parseDatabaseUrl(url);
  const readPresent = readDatabasePasswords(url);
  if (readPresent === null) return { connectionString, ssl, passwords: null };
  const withoutPassword = new URL(connectionString);
  withoutPassword.password = '';
  return { connectionString: withoutPassword.href, ssl, passwords: createPasswords(readPresent) };
}

/** The URL of a connection whose session has a setting, after those that the URL has. */
export function addSetting(url: string, name: string, value: string): string {
  const [address = '', query] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  // In this option a space and a backslash are escaped by a backslash.
  const setting = `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`;
  const before = parameters.get('options');
  parameters.set('options', before === null ? setting : `${before} ${setting}`);
  return `${address}?${parameters}`;
}
