import type { Redis } from 'ioredis';
import type pg from 'pg';
import { expect } from 'vitest';
import type { Window } from './window.ts';

/** The texts in which secrets are searched, by the name of the place. */
export type Places = Map<string, string>;

/** The forms in which a secret may appear: literal, without its first characters, reversed, and encoded at any offset within a text. */
export function encodeVariants(secret: string): string[] {
  const middle = secret.length > 40 ? secret.slice(20, -6) : secret;
  const aligned = (encoding: 'base64' | 'base64url') =>
    [0, 1, 2].map((before) =>
      Buffer.from('\0'.repeat(before) + middle)
        .toString(encoding)
        .slice(before === 0 ? 0 : before + 1)
        .replace(/=+$/, '')
        .slice(0, -2),
    );
  return [
    ...new Set([
      middle,
      encodeURIComponent(middle),
      JSON.stringify(middle).slice(1, -1),
      Buffer.from(middle).toString('hex'),
      Buffer.from(middle).toString('hex').toUpperCase(),
      [...middle].reverse().join(''),
      ...aligned('base64'),
      ...aligned('base64url'),
    ]),
  ];
}

/** Everything that a page shows and stores. */
export const readPageContents = (window: Window): Promise<string> =>
  window.page.evaluate(`(async () => JSON.stringify([
    document.documentElement.outerHTML, [...document.querySelectorAll('input, textarea')].map(({ value }) => value), { ...localStorage }, { ...sessionStorage },
    document.cookie, location.href, history.state, document.title, window.name, performance.getEntries().map(({ name }) => name),
    await Promise.all((await indexedDB.databases()).map(async ({ name }) => {
      const database = await new Promise((resolve) => { indexedDB.open(name).onsuccess = ({ target }) => resolve(target.result); });
      return Promise.all([...database.objectStoreNames].map((store) => new Promise((resolve) => {
        database.transaction(store).objectStore(store).getAll().onsuccess = ({ target }) => resolve([name, store, target.result]);
      })));
    })),
    typeof caches === 'undefined' ? [] : await caches.keys(), (await navigator.serviceWorker?.getRegistrations() ?? []).length,
  ]))()`);

/** The URLs and titles of the browser history. */
export async function readHistory({ page, context }: Window): Promise<string> {
  const session = await context.newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  return JSON.stringify(entries.map(({ url, title }) => [url, title]));
}

export const readClipboard = ({ page }: Window) => page.evaluate<string>('navigator.clipboard.readText()');

/** Every row of every table. */
export async function readDatabase(superuser: pg.Client): Promise<Places> {
  const { rows: tables } = await superuser.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind in ('r', 'm') and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace)`,
  );
  expect(tables.length).toBeGreaterThan(30);
  const places: Places = new Map();
  for (const { name } of tables) {
    const { rows } = await superuser.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    places.set(`table ${name}`, rows.map(({ row }) => row).join('\n'));
  }
  return places;
}

/** Every key with its value. */
export async function readRedis(redis: Redis): Promise<string> {
  const found: string[] = [];
  for await (const keys of redis.scanStream({ count: 1_000 }))
    for (const key of keys as string[]) {
      const kind = await redis.type(key);
      const value =
        kind === 'string'
          ? await redis.get(key)
          : kind === 'hash'
            ? await redis.hgetall(key)
            : kind === 'list'
              ? await redis.lrange(key, 0, -1)
              : kind === 'set'
                ? await redis.smembers(key)
                : kind === 'zset'
                  ? await redis.zrange(key, '0', '-1')
                  : kind === 'stream'
                    ? await redis.xrange(key, '-', '+')
                    : kind;
      found.push(JSON.stringify([key, value]));
    }
  return found.join('\n');
}
