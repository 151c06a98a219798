import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../installation/eventually.ts';
import { isLong } from '../../torture/random.ts';
import { findChromium } from './chromium.ts';
import { type PartName, type Whole, whole } from './full-stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();

/** Machines are shared; what is measured is measured by itself. */
const soon = { timeout: 30_000 };
/** What takes long is for the long form. The database is what hangs in the short one. */
const ways = isLong ? (['kill', 'hang'] as const) : (['kill'] as const);

describe.skipIf(chromium === null)('the console while something else is away', { timeout: 180_000 }, () => {
  let on: Whole;
  /** Every screen as an administrator leaves it open, by its name. */
  const open = new Map<string, Window>();
  const paths = () => ({
    keys: `/keys?key=${on.key.id}`,
    playground: '/playground',
    'playground-before': '/playground',
    feeds: '/feeds?feed=logs',
    'dead-letters': '/feeds/dead-letters',
    audit: '/audit',
    people: '/members',
  });
  const looks: Readonly<Record<string, object>> = {
    audit: { language: 'pl' },
    people: { width: 390, height: 844 },
    'dead-letters': { theme: 'dark' },
  };

  beforeAll(async () => {
    on = await whole(chromium ?? '');
    await Promise.all(
      Object.entries(paths()).map(async ([name, path]) => {
        const window = await on.open(looks[name]);
        open.set(name, window);
        await window.go(path);
      }),
    );
    await run(page('playground'));
    await rowsIn(page('playground')).waitFor(soon);
    await everyScreenRecovers();
  }, 180_000);
  afterAll(async () => on?.[Symbol.asyncDispose](), 120_000);

  const looked = ['keys', 'feeds', 'dead-letters', 'audit', 'people'];
  const windowOf = (name: string): Window => {
    const window = open.get(name);
    if (!window) throw new Error(`${name} is not open`);
    return window;
  };
  const page = (name: string): Page => windowOf(name).page;
  const wellAs = (name: string, as: string) => windowOf(name).wellAs(`faults-${as}`);
  const line = (at: Page) => at.locator('.settled');
  const signInForms = (at: Page) => at.locator('.public-layout, dialog[open]');
  const stale = (at: Page) => at.getByText(/Data from|Dane z \d/);
  const failure = (at: Page) => at.locator('main .failure');
  const rowsIn = (at: Page) =>
    at
      .getByRole('region', { name: 'Response' })
      .getByText(/\d rows$/)
      .first();
  const run = async (at: Page) => {
    await at.locator('form.panel').waitFor(soon);
    await at.keyboard.press('Control+Enter');
  };

  /** Takes it away while the work lasts, and gives it back whatever comes of it. */
  async function without(name: PartName, how: 'kill' | 'hang', work: () => Promise<void>): Promise<void> {
    const part = on.parts[name];
    await part[how]();
    try {
      await work();
    } finally {
      await (how === 'kill' ? part.restart() : part.resume());
    }
  }

  /** Every open screen says of when it is and who does not answer; none has lost what it showed. */
  async function everyScreenIsOf(who: 'console' | 'database'): Promise<void> {
    const said = who === 'console' ? /the console|konsola/ : /the database|baza danych/;
    await Promise.all(
      [...open].map(async ([name, { page: at }]) => {
        await expect
          .poll(() => stale(at).allTextContents(), { ...soon, message: name })
          .toEqual([expect.stringMatching(said)]);
        await line(at)
          .getByText(/Status unknown|Stan nieznany/)
          .filter({ hasText: said })
          .waitFor(soon);
        expect(await stale(at).textContent(), name).toMatch(
          /(Data from|Dane z) \d\d:\d\d:\d\d; .* (does not answer|nie odpowiada)\.$/,
        );
        expect(await signInForms(at).count(), `${name} shows a sign-in form`).toBe(0);
        expect(await failure(at).count(), `${name} has not lost what it showed`).toBe(0);
      }),
    );
    await page('feeds')
      .locator('.sentence')
      .getByText(/^Status unknown: /)
      .waitFor(soon);
    await page('feeds').locator('main table').first().waitFor(soon);
    await page('keys').getByRole('region').getByRole('heading', { name: 'Splunk bridge' }).waitFor(soon);
    await rowsIn(page('playground')).waitFor(soon);
  }

  /** By itself: nobody reloads anything. */
  async function everyScreenRecovers(): Promise<void> {
    await Promise.all(
      [...open].map(async ([name, { page: at }]) => {
        await line(at)
          .getByText(/^● (Settled to|Domknięte do)/)
          .waitFor({ timeout: 60_000 });
        await stale(at).waitFor({ ...soon, state: 'detached' });
        await failure(at).waitFor({ ...soon, state: 'detached' });
        expect(await signInForms(at).count(), `${name} shows a sign-in form`).toBe(0);
      }),
    );
  }

  test('requests are counted and screens unaffected while Redis is killed or hung', async () => {
    for (const how of ['kill', 'hang'] as const)
      await without('redis', how, async () => {
        await run(page('playground-before'));
        await rowsIn(page('playground-before')).waitFor(soon);
        await page('playground-before')
          .getByText(/^\d+ of 600 left/)
          .waitFor(soon);
        await everyScreenRecovers();
      });
  });

  test('ingestion killed, and the api meanwhile: late within 15 s, in the long form stopped after a minute, and who answers what', async () => {
    const feeds = page('feeds');
    const inFlight = page('playground-before');
    const logs = feeds.getByRole('row').filter({ hasText: 'Audit logs' });
    await without('ingest', 'kill', async () => {
      const goneAt = performance.now();
      await logs.getByText('▲ Late').waitFor(soon);
      await feeds.getByText(/^All feeds are late, by up to .*. Events are delayed, not lost/).waitFor(soon);
      await Promise.all(
        [...open.values()].map((one) =>
          line(one.page)
            .getByText(/^▲ (Late|Opóźnienie)/)
            .waitFor(soon),
        ),
      );
      expect(performance.now() - goneAt).toBeLessThan(15_000);
      await wellAs('feeds', 'ingest-late');

      for (const how of ways) {
        await without('api', how, async () => {
          await run(inFlight);
          await Promise.all(
            [...open.values()].map((one) =>
              line(one.page)
                .getByText(/API unreachable|API nie odpowiada/)
                .waitFor(soon),
            ),
          );
          await feeds.getByText('Cannot reach the API: clients cannot read these feeds').waitFor(soon);
          await failure(inFlight).getByText('The api does not answer.').waitFor(soon);
          expect(await rowsIn(inFlight).count(), 'no earlier answer beside the failure').toBe(0);
          if (how === 'hang') return;
          await wellAs('feeds', 'api-feeds');
          await wellAs('playground-before', 'api-playground');
        });
        await line(feeds)
          .getByText('API unreachable')
          .waitFor({ ...soon, state: 'detached' });
        // An api that has slept proves nothing before it has looked again.
        await failure(inFlight).getByRole('button', { name: 'Try again' }).click();
        await eventually('the api answers with rows again', 15_000, async () => {
          if (await rowsIn(inFlight).isVisible()) return true;
          await run(inFlight);
          return rowsIn(inFlight)
            .waitFor({ timeout: 3_000 })
            .then(() => true);
        });
      }
      if (!isLong) return;
      await logs.getByText('■ Stopped').waitFor({ timeout: 75_000 });
      await wellAs('feeds', 'ingest-stopped');
    });
    await everyScreenRecovers();
    await feeds.getByText('All feeds are settled, at most').waitFor(soon);
  });

  for (const how of ['kill', 'hang'] as const)
    test(`PostgreSQL ${how}: every screen says of when it is, who comes is told so, and all comes back`, async () => {
      const moved = page('dead-letters');
      await without('postgres', how, async () => {
        await everyScreenIsOf('database');
        const asked = ['/me', '/settled', '/feeds', '/keys', '/members', '/audit', '/dead-letters'];
        await Promise.all(
          asked.map(async (path) => {
            const askedAt = performance.now();
            const answer = await on.ask(path);
            const told = expect.stringContaining('The database does not answer');
            expect([path, answer.status, await answer.text()]).toEqual([path, 503, told]);
            expect(performance.now() - askedAt, path).toBeLessThan(8_000);
          }),
        );
        for (const name of how === 'kill' ? looked : []) await wellAs(name, `postgres-${name}`);

        // Whoever comes now is told so, and is not taken for a stranger.
        const fresh = page('audit');
        await fresh.reload();
        await failure(fresh).getByText('Cannot reach the database.').waitFor(soon);
        await failure(fresh).getByRole('button', { name: 'Spróbuj ponownie' }).waitFor(soon);
        expect(await signInForms(fresh).count()).toBe(0);
        if (how === 'kill') await wellAs('audit', 'postgres-reloaded');
        // Another screen of one that stood open.
        await moved.getByRole('link', { name: 'Audit log' }).click();
        await failure(moved).getByText('Cannot reach the database.').waitFor(soon);
      });
      await everyScreenRecovers();
      await moved.getByRole('main').getByRole('table').waitFor(soon);
      await windowOf('dead-letters').go('/feeds/dead-letters');
    });

  test('responses stay fresh while Kafka is down, and a replay waits and reports it', async () => {
    const at = page('dead-letters');
    await without('kafka', 'kill', async () => {
      await at.getByRole('row').filter({ hasText: 'Truncated or invalid JSON' }).getByRole('checkbox').last().check();
      await at.getByRole('button', { name: /^Replay( 1)?…/ }).click();
      await at.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
      await at.getByText(/Cannot reach Kafka/).waitFor({ timeout: 60_000 });
      await wellAs('dead-letters', 'kafka-replay');
      await everyScreenRecovers();
    });
    await at.getByText('1 × refused again').waitFor({ timeout: 90_000 });
  });

  for (const how of ways)
    test(`the console ${how}: open screens say so, and the session outlives it`, async () => {
      const moved = page('people');
      await without('console', how, async () => {
        await everyScreenIsOf('console');
        await moved.getByRole('button', { name: 'Menu' }).click();
        await moved.getByRole('link', { name: 'Audit log' }).click();
        await failure(moved).getByText('Cannot reach the console.').waitFor(soon);
        if (how === 'kill') await wellAs('people', 'console-moved');
      });
      await everyScreenRecovers();
      await moved.getByRole('main').getByRole('table').waitFor(soon);
      await windowOf('people').go('/members');
    });
});
