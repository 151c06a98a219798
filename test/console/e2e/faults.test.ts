// @module-tag torture
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, slownessFactor } from '../../installation/eventually.ts';
import { isLong } from '../../torture/random.ts';
import { findChromium } from './chromium.ts';
import { type FullStage, type PartName, startFullStage } from './full-stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();

/** For waits without a limit of their own: the machine is shared. Limits under test are measured separately. */
const soon = { timeout: 90_000 };
/** Processes also hang in the long run only; PostgreSQL and Redis hang in both. */
const outages = isLong ? (['kill', 'hang'] as const) : (['kill'] as const);

describe.skipIf(chromium === null)('the console during outages of its dependencies', { tags: ['browser'] }, () => {
  let on: FullStage;
  /** Every screen, open for an administrator, by name. */
  const open = new Map<string, Window>();
  const paths = () => ({
    keys: `/keys?key=${on.key.id}`,
    playground: '/playground',
    'playground-before': '/playground',
    feeds: '/feeds?feed=logs',
    'dead-letters': '/feeds/dead-letters',
    audit: '/audit',
    members: '/members',
  });
  const windowOptions: Readonly<Record<string, object>> = {
    audit: { language: 'pl' },
    members: { width: 390, height: 844 },
    'dead-letters': { theme: 'dark' },
  };

  beforeAll(async () => {
    on = await startFullStage(chromium ?? '');
    await Promise.all(
      Object.entries(paths()).map(async ([name, path]) => {
        const window = await on.open(windowOptions[name]);
        open.set(name, window);
        await window.go(path);
      }),
    );
    await run(page('playground'));
    await rowsIn(page('playground')).waitFor(soon);
    await expectRecoveredScreens();
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const captured = ['keys', 'feeds', 'dead-letters', 'audit', 'members'];
  const windowOf = (name: string): Window => {
    const window = open.get(name);
    if (!window) throw new Error(`${name} is not open`);
    return window;
  };
  const page = (name: string): Page => windowOf(name).page;
  const wellAs = (name: string, as: string) => windowOf(name).checkScreen(`faults-${as}`);
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

  /** Stops a part of the product while `work` runs, then starts it again, even if `work` fails. */
  async function without(name: PartName, how: 'kill' | 'hang', work: () => Promise<void>): Promise<void> {
    const part = on.parts[name];
    await part[how]();
    try {
      await work();
    } finally {
      await (how === 'kill' ? part.restart() : part.resume());
    }
  }

  /** Every open screen shows the time of its data and the component that does not respond; none has lost its content. */
  async function expectStaleScreens(unreachable: 'console' | 'database'): Promise<void> {
    const component = unreachable === 'console' ? /the console|konsola/ : /the database|baza danych/;
    await Promise.all(
      [...open].map(async ([name, { page: at }]) => {
        await expect
          .poll(() => stale(at).allTextContents(), { ...soon, message: name })
          .toEqual([expect.stringMatching(component)]);
        await line(at)
          .getByText(/Status unknown|Stan nieznany/)
          .filter({ hasText: component })
          .waitFor(soon);
        expect(await stale(at).textContent(), name).toMatch(
          /(Data from \d\d:\d\d:\d\dZ; cannot reach the (console|database)|Dane z \d\d:\d\d:\d\dZ; brak połączenia \((konsola|baza danych)\))\.$/,
        );
        expect(await signInForms(at).count(), `${name} shows a sign-in form`).toBe(0);
        expect(await failure(at).count(), `${name} still shows its content`).toBe(0);
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

  /** Waits until every open screen is current again, without a reload. */
  async function expectRecoveredScreens(): Promise<void> {
    await Promise.all(
      [...open].map(async ([name, { page: at }]) => {
        await line(at)
          .getByText(/^● (Settled to|Kompletne do)/)
          .waitFor({ timeout: 180_000 });
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
          .getByText(/^\d+ of 600 requests left/)
          .waitFor(soon);
        await expectRecoveredScreens();
      });
  });

  test('feeds are late within 15 s after ingest is killed, and an outage of the API meanwhile is shown', async () => {
    const feeds = page('feeds');
    const inFlight = page('playground-before');
    const logs = feeds.getByRole('row').filter({ hasText: 'Audit logs' });
    await without('ingest', 'kill', async () => {
      const killedAt = performance.now();
      await logs.getByText('▲ Late').waitFor(soon);
      await feeds.getByText(/^All feeds are late, by up to .*. Events are delayed, not lost/).waitFor(soon);
      await Promise.all(
        [...open.values()].map((window) =>
          line(window.page)
            .getByText(/^▲ (Late|Opóźnienie)/)
            .waitFor(soon),
        ),
      );
      expect(performance.now() - killedAt).toBeLessThan(slownessFactor * 15_000);
      await wellAs('feeds', 'ingest-late');

      for (const how of outages) {
        await without('api', how, async () => {
          await run(inFlight);
          await Promise.all(
            [...open.values()].map((window) =>
              line(window.page)
                .getByText(/API unreachable|API nie odpowiada/)
                .waitFor(soon),
            ),
          );
          await feeds.getByText('Cannot reach the API: clients cannot read these feeds').waitFor(soon);
          await failure(inFlight).getByText('The API does not respond.').waitFor(soon);
          expect(await rowsIn(inFlight).count(), 'no earlier response next to the failure').toBe(0);
          if (how === 'hang') return;
          await wellAs('feeds', 'api-feeds');
          await wellAs('playground-before', 'api-playground');
        });
        await line(feeds)
          .getByText('API unreachable')
          .waitFor({ ...soon, state: 'detached' });
        // After a pause the API proves completeness only once it has read the lanes again.
        await failure(inFlight).getByRole('button', { name: 'Try again' }).click();
        await eventually('the API responds with rows again', 15_000, async () => {
          if (await rowsIn(inFlight).isVisible()) return true;
          await run(inFlight);
          return rowsIn(inFlight)
            .waitFor({ timeout: 3_000 })
            .then(() => true);
        });
      }
      if (!isLong) return;
      await logs.getByText('■ Stalled').waitFor({ timeout: 75_000 });
      await wellAs('feeds', 'ingest-stopped');
    });
    await expectRecoveredScreens();
    await feeds.getByText('All feeds are settled, at most').waitFor(soon);
  });

  for (const how of ['kill', 'hang'] as const)
    test(`every screen shows the age of its data, new pages show the error, and all recover: PostgreSQL ${how}`, async () => {
      const moved = page('dead-letters');
      await without('postgres', how, async () => {
        await expectStaleScreens('database');
        const requested = ['/me', '/settled', '/feeds', '/keys', '/members', '/audit', '/dead-letters'];
        await Promise.all(
          requested.map(async (path) => {
            const startedAt = performance.now();
            const response = await on.request(path);
            const message = expect.stringContaining('The database does not respond');
            expect([path, response.status, await response.text()]).toEqual([path, 503, message]);
            expect(performance.now() - startedAt, path).toBeLessThan(slownessFactor * 8_000);
          }),
        );
        for (const name of how === 'kill' ? captured : []) await wellAs(name, `postgres-${name}`);

        // A page loaded now shows the error, not the sign-in form.
        const fresh = page('audit');
        await fresh.reload();
        await failure(fresh).getByText('The database does not respond.').waitFor(soon);
        await failure(fresh).getByRole('button', { name: 'Spróbuj ponownie' }).waitFor(soon);
        expect(await signInForms(fresh).count()).toBe(0);
        if (how === 'kill') await wellAs('audit', 'postgres-reloaded');
        // So does another screen, opened from a screen that was open before.
        await moved.getByRole('link', { name: 'Audit log' }).click();
        await failure(moved).getByText('The database does not respond.').waitFor(soon);
      });
      await expectRecoveredScreens();
      await moved.getByRole('main').getByRole('table').waitFor(soon);
      await windowOf('dead-letters').go('/feeds/dead-letters');
      // Its first data; without them the next outage has no age to show.
      await moved.getByRole('main').getByRole('table').first().waitFor(soon);
    });

  test('every feed is stalled and stays complete while Kafka is down, and a replay waits and reports it', async () => {
    const at = page('dead-letters');
    await without('kafka', 'kill', async () => {
      await at.getByRole('row').filter({ hasText: 'Truncated or invalid JSON' }).getByRole('checkbox').last().check();
      await at.getByRole('button', { name: /^Replay( 1)?…/ }).click();
      await at.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
      await at.getByText(/Cannot reach Kafka/).waitFor({ timeout: 180_000 });
      await wellAs('dead-letters', 'kafka-replay');
      // What lies unread in Kafka is unknown; the read models are complete as before.
      await page('feeds').getByText('All feeds are stalled, up to').waitFor({ timeout: 60_000 });
      await line(page('feeds')).getByText('■ Stalled: all feeds').waitFor(soon);
      await page('feeds')
        .getByText('The end of its log in Kafka is unknown: no ingest or jobs process can read it.')
        .first()
        .waitFor(soon);
      await run(page('playground'));
      await rowsIn(page('playground')).waitFor(soon);
    });
    await expectRecoveredScreens();
    await at.getByText('1 × rejected again').waitFor({ timeout: 90_000 });
  });

  for (const how of outages)
    test(`open screens show the outage, and the session survives it: console ${how}`, async () => {
      const moved = page('members');
      await without('console', how, async () => {
        await expectStaleScreens('console');
        await moved.getByRole('button', { name: 'Menu' }).click();
        await moved.getByRole('link', { name: 'Audit log' }).click();
        await failure(moved).getByText('Cannot reach the console.').waitFor(soon);
        if (how === 'kill') await wellAs('members', 'console-moved');
      });
      await expectRecoveredScreens();
      await moved.getByRole('main').getByRole('table').waitFor(soon);
      await windowOf('members').go('/members');
      await moved.getByRole('main').getByRole('table').first().waitFor(soon);
    });
});
