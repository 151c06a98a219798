import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { openFeedsTable } from './feeds-table.ts';
import { type Stage, startStage } from './stage.ts';
import type { WindowOptions } from './window.ts';

const chromium = await findChromium();

const problem = 'commits wait for no standby: if the primary is lost, rows that were served are lost';

describe.skipIf(chromium === null)('failovers in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  /** What an api reports, as seen a moment ago. */
  const report = (host: string, failover: unknown) =>
    on.product.superuser.query(
      `insert into control.process (instance, app, host, version, failover) values (gen_random_uuid(), 'api', $1, '0.1.0', $2)`,
      [host, JSON.stringify(failover)],
    );

  test('an installation without standbys has no table of failovers', { timeout: 60_000 }, async () => {
    await using window = await on.open('viewer', {});
    await window.go('/feeds');
    await window.page.getByRole('heading', { name: 'Sources' }).waitFor({ timeout: 30_000 });
    expect(await window.page.getByRole('region', { name: 'Failover' }).count()).toBe(0);
  });

  const variants: [string, WindowOptions, string, string[]][] = [
    ['light', {}, 'Failover', ['Failover is safe', 'waits for pg-3', 'Failover is not safe']],
    [
      '390-dark-polish',
      { width: 390, height: 844, theme: 'dark', language: 'pl' },
      'Przełączanie awaryjne',
      ['Przełączenie jest bezpieczne', 'czeka na pg-3', 'Przełączenie nie jest bezpieczne'],
    ],
  ];
  test.each(variants)(
    'each standby is shown with its state, and why a failover is not safe, without accessibility violations: %s',
    { timeout: 60_000 },
    async (name, options, title, states) => {
      await on.product.superuser.query('delete from control.process');
      const standby = { name: 'pg-2', isBounding: true, lagMs: 1_250 };
      await report('api-1/7', { epoch: 3, problem: null, waitsFor: null, standbys: [standby] });
      const silent = { name: 'pg-3', isBounding: true, lagMs: null };
      await report('api-2/7', { epoch: 3, problem: null, waitsFor: 'pg-3', standbys: [silent] });
      await report('api-3/7', { epoch: 3, problem, waitsFor: null, standbys: [{ ...standby, isBounding: false }] });
      await using window = await on.open('viewer', options);
      const { table, texts } = await openFeedsTable(window, title, 3);
      expect(texts.map((text, index) => text.includes(states[index] ?? ''))).toEqual([true, true, true]);
      expect(texts[0]).toMatch(/1.?250 ms/);
      expect(texts[2]).toContain(problem);
      await table.scrollIntoViewIfNeeded();
      await window.checkScreen(`failovers-${name}`);
    },
  );
});
