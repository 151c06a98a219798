import { describeTlsError } from './tls-error.ts';

/** Why a connection to PostgreSQL was refused, as the end of a sentence; null for an error of another kind. */
export function describePostgresError(error: unknown): string | null {
  // Text of a statement's error is not searched for causes of a failed connection.
  const isStatementError = /^[0-9A-Z]{5}$/.test((error as NodeJS.ErrnoException | null)?.code ?? '');
  const tls = isStatementError ? null : describeTlsError(error, 'POSTGRES');
  if (tls !== null) return tls;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (/no encryption|SSL off/i.test(message))
      return 'accepts connections with TLS only; set TENANTSCOPE_POSTGRES_SSL=on';
    if (code === '28P01' || code === '28000') return 'rejects this login';
    if (code === '3D000') return 'has no such database';
    if (/permission denied for database/.test(message)) return 'does not allow this login to connect to the database';
  }
  return null;
}
