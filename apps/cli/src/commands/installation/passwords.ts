import { randomBytes } from 'node:crypto';
import { kafkaPrincipals } from './kafka-principals.ts';

/** The database logins that `tenantscope migrate` creates. */
export const databaseLogins = ['api', 'keys', 'ingest', 'admin', 'console', 'jobs', 'collect'] as const;

export interface Passwords {
  readonly postgres: Readonly<Record<'superuser' | 'owner' | (typeof databaseLogins)[number], string>>;
  readonly redis: Readonly<Record<'api' | 'jobs' | 'operator', string>>;
  /** By the name of the user. */
  readonly kafka: Readonly<Record<string, string>>;
}

/** 256 bits, in characters that need no quoting in URLs, SQL and shells. */
export function generatePassword(): string {
  return randomBytes(32).toString('base64url');
}

export function generatePasswords(): Passwords {
  const each = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, generatePassword()])) as Record<Name, string>;
  return {
    postgres: each(['superuser', 'owner', ...databaseLogins]),
    redis: each(['api', 'jobs', 'operator']),
    kafka: each(Object.values(kafkaPrincipals)),
  };
}
