import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import type { AuditedTransaction } from './audited-transaction.ts';

const passkey = z.object({
  id: z.string(),
  memberId: z.string(),
  publicKey: z.string(),
  credentialId: z.string(),
  counter: z.number(),
  transports: z.array(z.string()),
});
/** A key pair of an authenticator; stored is the public key, base64url of COSE. */
export type Passkey = z.infer<typeof passkey>;

const passkeyColumns = sql.fragment`id, member_id as "memberId", secret as "publicKey", facts ->> 'credentialId' as "credentialId",
  (facts -> 'counter')::bigint as counter, facts -> 'transports' as transports`;

export function findPasskey(pool: DatabasePool, credentialId: string): Promise<Passkey | null> {
  return translateErrors(
    pool.maybeOne(sql.type(passkey)`
      select ${passkeyColumns} from control.member_credential where kind = 'passkey' and facts ->> 'credentialId' = ${credentialId}`),
  );
}

export function listPasskeys(pool: DatabasePool, memberId: string): Promise<readonly Passkey[]> {
  return translateErrors(
    pool.any(sql.type(passkey)`
      select ${passkeyColumns} from control.member_credential where kind = 'passkey' and member_id = ${memberId} order by created_at, id`),
  );
}

export interface NewPasskey extends Omit<Passkey, 'id' | 'memberId'> {
  readonly name: string;
}

/** False when the authenticator's key is registered already, for any member. */
export async function addPasskey(
  transaction: AuditedTransaction,
  memberId: string,
  passkey: NewPasskey,
): Promise<boolean> {
  const { name, publicKey, ...facts } = passkey;
  const { rowCount } = await transaction.query(sql.unsafe`
    insert into control.member_credential (member_id, kind, name, secret, facts)
    values (${memberId}, 'passkey', ${name}, ${publicKey}, ${JSON.stringify(facts)}::jsonb) on conflict do nothing`);
  return rowCount === 1;
}

/** Stores the authenticator's signature counter: a counter that goes back indicates a copy. */
export async function recordPasskeyUse(transaction: AuditedTransaction, id: string, counter: number): Promise<void> {
  await transaction.query(sql.unsafe`
    update control.member_credential set used_at = clock_timestamp(), facts = jsonb_set(facts, '{counter}', to_jsonb(${counter}::bigint)) where id = ${id}`);
}

const listed = z.object({
  id: z.string(),
  kind: z.enum(['password', 'passkey', 'totp', 'recovery']),
  name: z.string().nullable(),
  createdAt: z.string(),
  usedAt: z.string().nullable(),
});
/** A credential without its secret. */
export type ListedCredential = z.infer<typeof listed>;

export function listCredentials(pool: DatabasePool, memberId: string): Promise<readonly ListedCredential[]> {
  return translateErrors(
    pool.any(sql.type(listed)`
      select id, kind, name, created_at as "createdAt", used_at as "usedAt" from control.member_credential
       where member_id = ${memberId} and consumed_at is null order by created_at, id`),
  );
}

/** `last`: without it the member could no longer sign in, neither by a passkey nor by a password with an authenticator. */
export async function removeCredential(
  transaction: AuditedTransaction,
  memberId: string,
  id: string,
): Promise<'removed' | 'missing' | 'last'> {
  // Two concurrent removals must not each count the other credential as remaining.
  await transaction.query(sql.unsafe`select from control.member where id = ${memberId} for update`);
  const kinds = await transaction.any(sql.type(z.object({ id: z.string(), kind: z.string() }))`
    select id, kind from control.member_credential where member_id = ${memberId} and consumed_at is null`);
  if (!kinds.some((one) => one.id === id)) return 'missing';
  const left = new Set(kinds.filter((one) => one.id !== id).map(({ kind }) => kind));
  if (!left.has('passkey') && !(left.has('password') && left.has('totp'))) return 'last';
  await transaction.query(
    sql.unsafe`delete from control.member_credential where id = ${id} and member_id = ${memberId}`,
  );
  return 'removed';
}

export interface NewCredential {
  readonly kind: 'password' | 'totp' | 'recovery';
  readonly secret: string;
  /** Of an authenticator. */
  readonly name?: string;
  /** The time step that an authenticator has shown already. */
  readonly step?: number;
}

/** Replaces the credentials of these kinds, or all of them. */
export async function replaceCredentials(
  transaction: AuditedTransaction,
  memberId: string,
  { kinds, by }: { kinds: readonly NewCredential['kind'][] | 'all'; by: readonly NewCredential[] },
): Promise<void> {
  const ofKinds = kinds === 'all' ? sql.fragment`true` : sql.fragment`kind = any(${sql.array([...kinds], 'text')})`;
  await transaction.query(
    sql.unsafe`delete from control.member_credential where member_id = ${memberId} and ${ofKinds}`,
  );
  for (const credential of by) await addCredential(transaction, memberId, credential);
}

async function addCredential(
  transaction: AuditedTransaction,
  memberId: string,
  { kind, secret, name, step }: NewCredential,
): Promise<void> {
  const facts = JSON.stringify(step === undefined ? {} : { step });
  await transaction.query(sql.unsafe`
    insert into control.member_credential (member_id, kind, name, secret, facts)
    values (${memberId}, ${kind}, ${name ?? null}, ${secret}, ${facts}::jsonb)`);
}

/** Each one that is accepted makes a code easier to guess. */
const maxAuthenticators = 3;

/** False when the member has as many authenticators as an account may have. */
export async function addAuthenticator(
  transaction: AuditedTransaction,
  memberId: string,
  authenticator: { readonly name: string; readonly secret: string; readonly step: number },
): Promise<boolean> {
  await transaction.query(sql.unsafe`select from control.member where id = ${memberId} for update`);
  const count = await transaction.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from control.member_credential where member_id = ${memberId} and kind = 'totp'`);
  if (count >= maxAuthenticators) return false;
  await addCredential(transaction, memberId, { kind: 'totp', ...authenticator });
  return true;
}
