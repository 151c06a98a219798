import { randomUUID } from 'node:crypto';
import { buildConsolePages } from '@tenantscope/local';
import { type Browser, chromium as engine } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Broker, connectBroker } from '../../product/broker.ts';
import { type Looking, lookInto } from '../../product/looking.ts';
import { type Product, product } from '../../product/product.ts';
import { activityMessage, activityRecord } from '../../product/records.ts';
import { type TestConsole, testConsole } from '../visitor.ts';
import { findChromium } from './chromium.ts';
import { openWindow } from './window.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('dead letters in a browser', { timeout: 120_000 }, () => {
  let running: Product;
  let visited: TestConsole;
  let broker: Broker;
  let looking: Looking;
  let browser: Browser;
  beforeAll(async () => {
    await buildConsolePages();
    running = await product();
    visited = await testConsole({}, { lent: running.database });
    looking = await lookInto(running.database.superuser);
    broker = await connectBroker(running.environment.TENANTSCOPE_KAFKA_BROKERS ?? '');
    browser = await engine.launch({ executablePath: chromium ?? '' });
    await running.startIngest();
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await looking?.[Symbol.asyncDispose]();
    await broker?.[Symbol.asyncDispose]();
    await visited?.[Symbol.asyncDispose]();
    await running?.[Symbol.asyncDispose]();
  }, 60_000);

  test('a poison record is seen, tried, mended, tried again and replayed; another is given up with a reason', async () => {
    const tenantId = randomUUID();
    await broker.append(running.activityTopic, 0, [activityMessage(tenantId, activityRecord(1))]);
    await broker.append(running.activityTopic, 0, [
      { ...activityMessage(visited.tenantIds[0] ?? '', {}), value: '{"torn": "\u202e\u0007' },
    ]);
    const { secret } = await visited.visitor('admin');
    await using window = await openWindow(browser, visited.origin, secret, {});
    const { page } = window;
    await window.go('/feeds/dead-letters');
    const unknown = page.getByRole('row').filter({ hasText: 'Tenant is not known' });
    await unknown.getByRole('checkbox').waitFor({ timeout: 30_000 });
    await page.getByRole('row').filter({ hasText: 'Not JSON' }).getByRole('checkbox').waitFor({ timeout: 30_000 });

    await unknown.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('1 × refused again').waitFor({ timeout: 40_000 });
    await window.wellAs('dead-letters-tried');
    await looking.client.query(
      `insert into control.tenant (id, name, organization_id, plan, digest) values ($1, 'Late', $2, 'api', sha256('late'))`,
      [tenantId, visited.organizationId],
    );
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('1 × would give a record').waitFor({ timeout: 40_000 });
    await page.getByRole('button', { name: 'Replay…' }).click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('1 × written as a row').waitFor({ timeout: 40_000 });

    await page.locator('table').last().getByRole('button', { name: 'Not JSON' }).click();
    const detail = page.getByRole('region', { name: 'Record set aside' });
    await detail.getByRole('button', { name: 'Show what arrived' }).click();
    await detail.getByText('{"torn": "\\u202e\\u0007').waitFor();
    await window.wellAs('dead-letters-opened');
    await page.locator('table').last().getByRole('row').filter({ hasText: 'Not JSON' }).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByLabel('Why they are given up').fill('sent by a test');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('1 × discarded').waitFor({ timeout: 40_000 });

    await window.go('/audit');
    for (const act of [
      /^tried out dead letters/,
      /^replayed dead letters/,
      /^discarded dead letters/,
      /^opened dead letter/,
    ])
      await page.getByRole('button', { name: act }).first().waitFor();
    await window.wellAs('dead-letters-audit');
  });
});
