import { createHash, randomBytes } from 'node:crypto';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';
import { type Change, change } from './acting.ts';

const windowMinutes = 15;
const tokenMinutes = 15;

/** An account or an address, and how many tries fail there within a quarter of an hour before no more are let in. */
export interface TryPlace {
  readonly place: string;
  readonly limit: number;
}

/** A try that was begun, and counts as failed until it is given back. */
export interface Try {
  readonly at: string;
  readonly places: readonly string[];
  /** Where it was the last one. */
  readonly lastAt: readonly string[];
}

/**
 * Takes a try at each of the places, before anything is looked at: many at once are not more than one after the other. Answers the time from which
 * one is free again where there is none.
 */
export function takeTry(
  pool: DatabasePool,
  places: readonly TryPlace[],
): Promise<{ taken: Try; freeAt: null } | { taken: null; freeAt: string }> {
  const names = places.map(({ place }) => place);
  return asked(
    pool.transaction(async (transaction) => {
      for (const name of [...names].sort())
        await transaction.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
      const counted = await transaction.any(sql.type(z.object({ failed: z.number(), freeAt: z.string().nullable() }))`
        select count(f.at)::int as failed,
               (array_agg(f.at order by f.at desc))[wanted.most] + make_interval(mins => ${windowMinutes}) as "freeAt"
          from unnest(${sql.array(names, 'text')}, ${sql.array(
            places.map(({ limit }) => limit),
            'int4',
          )}) with ordinality as wanted (place, most, ordinal)
          left join control.sign_in_failure f
            on f.place = wanted.place and f.at > clock_timestamp() - make_interval(mins => ${windowMinutes})
         group by wanted.ordinal, wanted.most order by wanted.ordinal`);
      const freeAt = counted
        .flatMap((one) => one.freeAt ?? [])
        .sort()
        .at(-1);
      if (freeAt !== undefined) return { taken: null, freeAt };
      const at = await transaction.oneFirst(sql.type(z.object({ at: z.string() }))`
        with taken as (
          insert into control.sign_in_failure (place, at)
          select place, clock.at from unnest(${sql.array(names, 'text')}) place, (select clock_timestamp()::timestamptz(3) as at) clock returning at
        )
        select at from taken limit 1`);
      await transaction.query(
        sql.unsafe`delete from control.sign_in_failure where at < clock_timestamp() - interval '1 day'`,
      );
      const lastAt = places.filter(({ limit }, n) => (counted[n]?.failed ?? 0) + 1 >= limit).map(({ place }) => place);
      return { taken: { at, places: names, lastAt }, freeAt: null };
    }),
  );
}

/** It did not fail: it does not count. */
export async function giveTryBack(pool: DatabasePool, { at, places }: Try): Promise<void> {
  await asked(
    pool.query(sql.unsafe`
      delete from control.sign_in_failure
       where ctid = any(array(select distinct on (place) ctid from control.sign_in_failure
                               where place = any(${sql.array([...places], 'text')}) and at = ${at}::timestamptz))`),
  );
}

/** A failed try, in the audit: of the account's organization, or of the only one there is. */
export async function noteFailure(
  pool: DatabasePool,
  of: {
    organizationId: string | null;
    subject: string;
    requestId: string;
    source: 'local' | 'oidc' | 'passkey';
    address: string;
    /** What admits no more tries for now. */
    closedForNow?: readonly ('account' | 'address')[];
  },
): Promise<void> {
  const by = { actor: `sign-in:${of.source}`, sessionId: null, requestId: of.requestId, address: of.address };
  const details = of.closedForNow?.length ? JSON.stringify({ closedForNow: of.closedForNow }) : null;
  const subjectId = createHash('sha256').update(of.subject).digest('hex').slice(0, 16);
  await change(pool, by, async (transaction) => {
    await transaction.query(sql.unsafe`
      select control.note_admin_event(
               coalesce(${of.organizationId}::uuid, (select min(id::text)::uuid from control.organization having count(*) = 1)),
               'sign-in failed', 'account', ${subjectId}, ${details}::jsonb)`);
  });
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

/** A recovery code works once, and an authenticator's codes in the order of their times, each once. False when it was used already. */
export function spendCredential(
  pool: DatabasePool,
  used: Credential & { readonly step: number | null },
  personId: string,
): Promise<boolean> {
  const by = { actor: `person:${personId}`, sessionId: null, requestId: null };
  return change(pool, by, async (transaction) => {
    const { rowCount } = await transaction.query(sql.unsafe`
      update control.person_credential
         set used_at = clock_timestamp(), spent_at = case when kind = 'recovery' then clock_timestamp() end,
             facts = case when kind = 'totp' then jsonb_build_object('step', ${used.step}::bigint) else facts end
       where id = ${used.id} and spent_at is null and (kind <> 'totp' or coalesce((facts ->> 'step')::bigint, -1) < ${used.step}::bigint)`);
    return rowCount === 1;
  });
}

export async function replaceCredentials(
  transaction: Change,
  personId: string,
  credentials: readonly (Pick<Credential, 'kind' | 'secret'> & { readonly step?: number })[],
): Promise<void> {
  await transaction.query(sql.unsafe`delete from control.person_credential where person_id = ${personId}`);
  for (const { kind, secret, step } of credentials)
    await transaction.query(sql.unsafe`
      insert into control.person_credential (person_id, kind, secret, facts)
      values (${personId}, ${kind}, ${secret}, ${JSON.stringify(step === undefined ? {} : { step })}::jsonb)`);
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
