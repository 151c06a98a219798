import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';
import type { Change } from './acting.ts';

const passkey = z.object({
  id: z.string(),
  personId: z.string(),
  publicKey: z.string(),
  credentialId: z.string(),
  counter: z.number(),
  transports: z.array(z.string()),
});
/** A key pair that an authenticator holds; ours is the public half, base64url of COSE. */
export type Passkey = z.infer<typeof passkey>;

const passkeyColumns = sql.fragment`id, person_id as "personId", secret as "publicKey", facts ->> 'credentialId' as "credentialId",
  (facts -> 'counter')::bigint as counter, facts -> 'transports' as transports`;

export function findPasskey(pool: DatabasePool, credentialId: string): Promise<Passkey | null> {
  return asked(
    pool.maybeOne(sql.type(passkey)`
      select ${passkeyColumns} from control.person_credential where kind = 'passkey' and facts ->> 'credentialId' = ${credentialId}`),
  );
}

export function listPasskeys(pool: DatabasePool, personId: string): Promise<readonly Passkey[]> {
  return asked(
    pool.any(sql.type(passkey)`
      select ${passkeyColumns} from control.person_credential where kind = 'passkey' and person_id = ${personId} order by created_at, id`),
  );
}

export interface NewPasskey extends Omit<Passkey, 'id' | 'personId'> {
  readonly name: string;
}

/** False when the authenticator's key is known already, of whomever. */
export async function addPasskey(transaction: Change, personId: string, made: NewPasskey): Promise<boolean> {
  const { name, publicKey, ...facts } = made;
  const { rowCount } = await transaction.query(sql.unsafe`
    insert into control.person_credential (person_id, kind, name, secret, facts)
    values (${personId}, 'passkey', ${name}, ${publicKey}, ${JSON.stringify(facts)}::jsonb) on conflict do nothing`);
  return rowCount === 1;
}

/** Keeps how often the authenticator says it has signed: one that goes back is a copy. */
export async function noteUseOfPasskey(transaction: Change, id: string, counter: number): Promise<void> {
  await transaction.query(sql.unsafe`
    update control.person_credential set used_at = clock_timestamp(), facts = jsonb_set(facts, '{counter}', to_jsonb(${counter}::bigint)) where id = ${id}`);
}

const listed = z.object({
  id: z.string(),
  kind: z.enum(['password', 'passkey', 'totp', 'recovery']),
  name: z.string().nullable(),
  createdAt: z.string(),
  usedAt: z.string().nullable(),
});
/** What a person proves itself by, without its secret. */
export type ListedCredential = z.infer<typeof listed>;

export function listCredentials(pool: DatabasePool, personId: string): Promise<readonly ListedCredential[]> {
  return asked(
    pool.any(sql.type(listed)`
      select id, kind, name, created_at as "createdAt", used_at as "usedAt" from control.person_credential
       where person_id = ${personId} and spent_at is null order by created_at, id`),
  );
}

/** `last`: without it the person could not sign in any more, neither by a passkey nor by a password and an authenticator. */
export async function removeCredential(
  transaction: Change,
  personId: string,
  id: string,
): Promise<'removed' | 'missing' | 'last'> {
  // Two removals at once must not each take the other for what is left.
  await transaction.query(sql.unsafe`select from control.person where id = ${personId} for update`);
  const kinds = await transaction.any(sql.type(z.object({ id: z.string(), kind: z.string() }))`
    select id, kind from control.person_credential where person_id = ${personId} and spent_at is null`);
  if (!kinds.some((one) => one.id === id)) return 'missing';
  const left = new Set(kinds.filter((one) => one.id !== id).map(({ kind }) => kind));
  if (!left.has('passkey') && !(left.has('password') && left.has('totp'))) return 'last';
  await transaction.query(
    sql.unsafe`delete from control.person_credential where id = ${id} and person_id = ${personId}`,
  );
  return 'removed';
}
