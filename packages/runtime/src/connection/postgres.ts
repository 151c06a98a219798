import { z } from 'zod';
import { variable } from '../config/variables.ts';
import { checkPlaintext, plaintextVariables } from './plaintext.ts';
import { readTlsFiles } from './tls.ts';

/** TLS of every PostgreSQL connection of a process. The certificate and the host name are always verified (verify-full). */
export const postgresVariables = {
  TENANTSCOPE_POSTGRES_SSL: variable(
    'TLS to PostgreSQL. By default on if one of its files is set, else off.',
    z.enum(['on', 'off']).optional(),
  ),
  TENANTSCOPE_POSTGRES_SSL_CA_FILE: variable(
    'File with the certificate authorities of PostgreSQL, PEM. By default those of Node.js.',
    z.string().optional(),
  ),
  TENANTSCOPE_POSTGRES_SSL_CERT_FILE: variable(
    'File with the client certificate for PostgreSQL, PEM.',
    z.string().optional(),
  ),
  TENANTSCOPE_POSTGRES_SSL_KEY_FILE: variable('File with the key of that certificate, PEM.', z.string().optional()),
  ...plaintextVariables,
};

/** Parameters by which a URL would configure TLS, or another host, without these checks. */
const refusedParameters = [
  'ssl',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'sslnegotiation',
  'uselibpqcompat',
  'hostaddr',
];

/**
 * Adds the TLS settings to a PostgreSQL URL, in the parameters of libpq: `sslmode=verify-full` and the files. A URL that asks for less than
 * verify-full, or has other TLS parameters, is a problem.
 */
export function secureDatabaseUrl(
  url: string,
  config: Readonly<Record<string, unknown>>,
): { url: string; problem: string | null } {
  const refuse = (problem: string) => ({ url, problem });
  if (!URL.canParse(url)) return refuse('not a valid URL; encode special characters of the password');
  const secured = new URL(url);
  const { searchParams } = secured;
  const refused = refusedParameters.find((name) => searchParams.has(name));
  if (refused !== undefined)
    return refuse(`the parameter ${refused} is not supported; set TENANTSCOPE_POSTGRES_SSL and its files`);
  const host = searchParams.get('host') ?? decodeURIComponent(secured.hostname);
  // A directory: the socket of a server on this machine.
  if (host === '' || host.startsWith('/')) return { url, problem: null };
  const files = readTlsFiles('TENANTSCOPE_POSTGRES', config);
  const mode = searchParams.get('sslmode');
  const isOn = (config.TENANTSCOPE_POSTGRES_SSL ?? (hasFile(files) || mode === 'verify-full' ? 'on' : 'off')) === 'on';
  const isMatching = mode === null || mode === (isOn ? 'verify-full' : 'disable');
  if (!isMatching)
    return refuse(
      `sslmode=${mode} does not verify the server or contradicts TENANTSCOPE_POSTGRES_SSL; remove it from the URL`,
    );
  searchParams.delete('sslmode');
  if (!isOn) return { url: secured.href, problem: checkPlaintext('postgres', host, config) };
  searchParams.set('sslmode', 'verify-full');
  const parameters = { sslrootcert: files.caFile, sslcert: files.certFile, sslkey: files.keyFile };
  for (const [name, file] of Object.entries(parameters)) if (file !== undefined) searchParams.set(name, file);
  return { url: secured.href, problem: null };
}

function hasFile(files: object): boolean {
  return Object.values(files).some((file) => file !== undefined);
}
