import { describeTlsError } from './tls-error.ts';

/** By SQLSTATE. */
const reasons: Readonly<Record<string, string>> = {
  '28P01': 'rejects this login',
  '28000': 'rejects this login',
  '3D000': 'has no such database',
  '53100': 'has no disk space left',
  '53200': 'has no memory left',
  '53300': 'has no free connection; compare max_connections with the connections of all processes',
};

/** Why PostgreSQL refused a connection or has no resources, as the end of a sentence; null for an error of another kind. */
export function describePostgresError(error: unknown): string | null {
  // Text of a statement's error is not searched for causes of a failed connection.
  const isStatementError = /^[0-9A-Z]{5}$/.test((error as NodeJS.ErrnoException | null)?.code ?? '');
  const tls = isStatementError ? null : describeTlsError(error, 'POSTGRES');
  if (tls !== null) return tls;
  // Not of a cause: that may be a request to another server.
  if (/^(ENOTFOUND|EAI_AGAIN)$/.test((error as NodeJS.ErrnoException | null)?.code ?? ''))
    return 'has a host name that cannot be resolved';
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (/no encryption|SSL off/i.test(message))
      return 'accepts connections with TLS only; set TENANTSCOPE_POSTGRES_SSL=on';
    const reason = reasons[code];
    if (reason !== undefined) return reason;
    if (/permission denied for database/.test(message)) return 'does not allow this login to connect to the database';
  }
  return null;
}
