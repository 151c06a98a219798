import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { strangeTenant, type Told, toldDatabase } from '../compliance/told.ts';
import { makeGrantedAgents } from './granted-agents.ts';
import { packBytes, sectionOf } from './packs.ts';

const agents = 2_000;
const grants = 200_000;
/** A few packs, and what the collector has not come to yet. */
const memoryBytes = 512 * 1_048_576;

let told: Told;
const tenantId = strangeTenant();
const nowMs = Date.UTC(2026, 5, 15, 12);
const window = { fromMs: nowMs - 183 * 86_400_000, toMs: nowMs };

beforeAll(async () => {
  told = await toldDatabase();
  const client = new pg.Client({ connectionString: told.database.superuser });
  await client.connect();
  await makeGrantedAgents(client, { tenantId, agents, grants, atMs: nowMs - 86_400_000 });
  await client.end();
}, 120_000);
afterAll(() => told[Symbol.asyncDispose]());

test('a pack of 2,000 agents with 200,000 permissions is made in bounded memory', {
  timeout: 60_000,
}, async () => {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const bytes = await packBytes(told, tenantId, window);
  clearInterval(watching);
  const pack = JSON.parse(bytes.toString()).data;
  expect(sectionOf(pack, 'inventory')).toMatchObject({ rowCount: agents, totalRowCount: agents, truncated: false });
  expect(sectionOf(pack, 'permissions')).toMatchObject({ rowCount: 10_000, totalRowCount: grants, truncated: true });
  expect(peak - before).toBeLessThan(memoryBytes);
});

test('the last page of so many permissions is where the catalogue’s order ends', { timeout: 60_000 }, async () => {
  const sections = ['permissions'];
  const pageAfter = async (after: readonly (string | null)[] | null) => {
    const continued = after && { section: 'permissions', after };
    const pack = JSON.parse((await packBytes(told, tenantId, { ...window, sections, continued })).toString()).data;
    return sectionOf(pack, 'permissions');
  };
  const { after } = JSON.parse((await pageAfter(null)).nextCursor);
  expect(after).toHaveLength(7);
  const last = await pageAfter(['agent-995', 'Files.Read.All', null, null, null, null, null]);
  expect(last).toMatchObject({ truncated: false, nextCursor: null, rowCount: 500, totalRowCount: 500 });
});
