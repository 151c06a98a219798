import { createHash, randomBytes } from 'node:crypto';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';
import { type Change, change } from './acting.ts';

const windowMinutes = 15;
const tokenMinutes = 15;

/** How often signing in failed at a place, an account or an address, within a quarter of an hour. */
export function countFailures(pool: DatabasePool, place: string): Promise<number> {
  return asked(
    pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from control.sign_in_failure where place = ${place} and at > clock_timestamp() - make_interval(mins => ${windowMinutes})`),
  );
}

export async function noteFailure(
  pool: DatabasePool,
  places: readonly string[],
  of: { organizationId: string | null; subject: string; requestId: string; source?: 'local' | 'oidc' | 'passkey' },
): Promise<void> {
  await change(
    pool,
    { actor: `sign-in:${of.source ?? 'local'}`, sessionId: null, requestId: of.requestId },
    async (transaction) => {
      await transaction.query(sql.unsafe`
      insert into control.sign_in_failure (place) select unnest(${sql.array([...places], 'text')})`);
      await transaction.query(
        sql.unsafe`delete from control.sign_in_failure where at < clock_timestamp() - interval '1 day'`,
      );
      await transaction.query(sql.unsafe`
      select control.note_admin_event(${of.organizationId}, 'sign-in failed', 'account', ${createHash('sha256').update(of.subject).digest('hex').slice(0, 16)}, null)`);
    },
  );
}

const credential = z.object({
  id: z.string(),
  kind: z.enum(['password', 'passkey', 'totp', 'recovery']),
  secret: z.string(),
});
export type Credential = z.infer<typeof credential>;

/** What a person may prove itself by; spent recovery codes are gone. */
export function readCredentials(pool: DatabasePool, personId: string): Promise<readonly Credential[]> {
  return asked(
    pool.any(
      sql.type(
        credential,
      )`select id, kind, secret from control.person_credential where person_id = ${personId} and spent_at is null order by created_at, id`,
    ),
  );
}

const totpStepSeconds = 30;

/** A recovery code works once, a code of an authenticator once in its time. False when it was used already. */
export function spendCredential(pool: DatabasePool, used: Credential, personId: string): Promise<boolean> {
  const by = { actor: `person:${personId}`, sessionId: null, requestId: null };
  return change(pool, by, async (transaction) => {
    const { rowCount } = await transaction.query(sql.unsafe`
      update control.person_credential
         set used_at = clock_timestamp(), spent_at = case when kind = 'recovery' then clock_timestamp() end
       where id = ${used.id} and spent_at is null
         and (kind <> 'totp' or used_at is null or used_at < clock_timestamp() - make_interval(secs => ${totpStepSeconds}))`);
    return rowCount === 1;
  });
}

export async function replaceCredentials(
  transaction: Change,
  personId: string,
  credentials: readonly Pick<Credential, 'kind' | 'secret'>[],
): Promise<void> {
  await transaction.query(sql.unsafe`delete from control.person_credential where person_id = ${personId}`);
  for (const { kind, secret } of credentials)
    await transaction.query(sql.unsafe`
      insert into control.person_credential (person_id, kind, secret) values (${personId}, ${kind}, ${secret})`);
}

const challengeHours = 1;

/** A challenge, or a round at an identity provider, is good once. False when it was used already. */
export async function spendChallenge(pool: DatabasePool, challenge: string): Promise<boolean> {
  const { rowCount } = await asked(
    pool.query(sql.unsafe`
      with old as (
        delete from control.spent_challenge where spent_at < clock_timestamp() - make_interval(hours => ${challengeHours})
      )
      insert into control.spent_challenge (sha256) values (${sql.binary(digestOf(challenge))}) on conflict do nothing`),
  );
  return rowCount === 1;
}

/** For one use, within a quarter of an hour; printed on the host and stored as a digest. */
export async function makeSetUpToken(transaction: Change, organizationId: string): Promise<string> {
  const token = randomBytes(24).toString('base64url');
  await transaction.query(sql.unsafe`
    insert into control.set_up_token (sha256, organization_id, expires_at)
    values (${sql.binary(digestOf(token))}, ${organizationId}, clock_timestamp() + make_interval(mins => ${tokenMinutes}))`);
  await transaction.query(
    sql.unsafe`select control.note_admin_event(${organizationId}, 'opened', 'set-up', ${organizationId}, null)`,
  );
  return token;
}

/** The organization the token is for; null when it is unknown, used or too old. */
export async function useSetUpToken(transaction: Change, token: string): Promise<string | null> {
  return transaction.maybeOneFirst(sql.type(z.object({ organizationId: z.string() }))`
    update control.set_up_token set used_at = clock_timestamp()
     where sha256 = ${sql.binary(digestOf(token))} and used_at is null and expires_at > clock_timestamp()
    returning organization_id as "organizationId"`);
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
