import { createHash } from 'node:crypto';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import { type AuditContext, withAuditedTransaction } from './audited-transaction.ts';

/** A place where attempts are counted, and how many may fail there within the window. */
export interface AttemptBucket {
  readonly place: string;
  readonly limit: number;
  readonly windowMinutes: number;
}

/** An attempt in progress, which counts as failed until it is released. */
export interface SignInAttempt {
  readonly at: string;
  readonly places: readonly string[];
  /** Where it was the last one. */
  readonly lastAt: readonly string[];
}

/**
 * Counts an attempt in each bucket before any credential is checked, so that concurrent attempts cannot exceed the limit. When a bucket is full,
 * returns the time from which an attempt is allowed again.
 */
export function beginAttempt(
  pool: DatabasePool,
  places: readonly AttemptBucket[],
): Promise<{ taken: SignInAttempt; freeAt: null } | { taken: null; freeAt: string }> {
  const names = places.map(({ place }) => place);
  return translateErrors(
    pool.transaction(async (transaction) => {
      for (const name of [...names].sort())
        await transaction.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
      const counted = await transaction.any(sql.type(z.object({ failed: z.number(), freeAt: z.string().nullable() }))`
        select count(f.at)::int as failed,
               (array_agg(f.at order by f.at desc))[input.most] + make_interval(mins => input.minutes) as "freeAt"
          from unnest(${sql.array(names, 'text')}, ${sql.array(
            places.map(({ limit }) => limit),
            'int4',
          )}, ${sql.array(
            places.map(({ windowMinutes }) => windowMinutes),
            'int4',
          )}) with ordinality as input (bucket, most, minutes, ordinal)
          left join control.sign_in_failure f
            on f.bucket = input.bucket and f.at > clock_timestamp() - make_interval(mins => input.minutes)
         group by input.ordinal, input.most, input.minutes order by input.ordinal`);
      const freeAt = counted
        .flatMap((one) => one.freeAt ?? [])
        .sort()
        .at(-1);
      if (freeAt !== undefined) return { taken: null, freeAt };
      const at = await transaction.oneFirst(sql.type(z.object({ at: z.string() }))`
        with taken as (
          insert into control.sign_in_failure (bucket, at)
          select bucket, clock.at from unnest(${sql.array(names, 'text')}) bucket, (select clock_timestamp()::timestamptz(3) as at) clock returning at
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

/** A successful attempt does not count. */
export async function releaseAttempt(pool: DatabasePool, { at, places }: SignInAttempt): Promise<void> {
  await translateErrors(
    pool.query(sql.unsafe`
      delete from control.sign_in_failure
       where ctid = any(array(select distinct on (bucket) ctid from control.sign_in_failure
                               where bucket = any(${sql.array([...places], 'text')}) and at = ${at}::timestamptz))`),
  );
}

/** Records a failed sign-in in the audit log of the account's organization, or of the only organization. */
export async function recordSignInFailure(
  pool: DatabasePool,
  of: {
    organizationId: string | null;
    subject: string;
    requestId: string;
    source: 'local' | 'oidc' | 'passkey';
    address: string;
    /** Which of them allows no more attempts for now. */
    closedForNow?: readonly ('account' | 'address')[];
  },
): Promise<void> {
  const by = { actor: `sign-in:${of.source}`, sessionId: null, requestId: of.requestId, address: of.address };
  const details = of.closedForNow?.length ? JSON.stringify({ closedForNow: of.closedForNow }) : null;
  const subjectId = createHash('sha256').update(of.subject).digest('hex').slice(0, 16);
  await withAuditedTransaction(pool, by, async (transaction) => {
    await transaction.query(sql.unsafe`
      select control.record_admin_action(
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

/** The credentials of a member, without consumed recovery codes. */
export function readCredentials(pool: DatabasePool, memberId: string): Promise<readonly Credential[]> {
  return translateErrors(
    pool.any(
      sql.type(
        credential,
      )`select id, kind, secret from control.member_credential where member_id = ${memberId} and consumed_at is null order by created_at, id`,
    ),
  );
}

/** Recovery codes are accepted once, authenticator codes once and in the order of their time steps. False when it was used already. */
export function consumeCredential(
  pool: DatabasePool,
  used: Credential & { readonly step: number | null },
  by: AuditContext,
): Promise<boolean> {
  return withAuditedTransaction(pool, by, async (transaction) => {
    const { rowCount } = await transaction.query(sql.unsafe`
      update control.member_credential
         set used_at = clock_timestamp(), consumed_at = case when kind = 'recovery' then clock_timestamp() end,
             facts = case when kind = 'totp' then jsonb_build_object('step', ${used.step}::bigint) else facts end
       where id = ${used.id} and consumed_at is null and (kind <> 'totp' or coalesce((facts ->> 'step')::bigint, -1) < ${used.step}::bigint)`);
    return rowCount === 1;
  });
}

const challengeHours = 1;

/** A challenge or an OIDC state is accepted once. False when it was used already. */
export async function consumeChallenge(pool: DatabasePool, challenge: string): Promise<boolean> {
  const { rowCount } = await translateErrors(
    pool.query(sql.unsafe`
      with old as (
        delete from control.used_challenge where used_at < clock_timestamp() - make_interval(hours => ${challengeHours})
      )
      insert into control.used_challenge (sha256) values (${sql.binary(digestText(challenge))}) on conflict do nothing`),
  );
  return rowCount === 1;
}

export const digestText = (token: string): Buffer => createHash('sha256').update(token).digest();
