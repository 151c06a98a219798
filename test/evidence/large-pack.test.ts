// @module-tag torture
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import { insertGrantedAgents } from './granted-agents.ts';
import { findSection, writePackBytes } from './packs.ts';

const agents = 2_000;
const grants = 200_000;
/** A few packs plus garbage that is not collected yet. */
const memoryBytes = 512 * 1_048_576;

let facts: FactDatabase;
const tenantId = newTenantId();
const nowMs = Date.UTC(2026, 5, 15, 12);
const window = { fromMs: nowMs - 183 * 86_400_000, toMs: nowMs };

beforeAll(async () => {
  facts = await openFactDatabase();
  const client = new pg.Client({ connectionString: facts.database.superuser });
  await client.connect();
  await insertGrantedAgents(client, { tenantId, agents, grants, atMs: nowMs - 86_400_000 });
  await client.end();
});
afterAll(() => facts[Symbol.asyncDispose]());

test('a pack of 2,000 agents with 200,000 permissions uses bounded memory', {
  timeout: 60_000,
}, async () => {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const bytes = await writePackBytes(facts, tenantId, window);
  clearInterval(watching);
  const pack = JSON.parse(bytes.toString()).data;
  expect(findSection(pack, 'inventory')).toMatchObject({ rowCount: agents, totalRowCount: agents, truncated: false });
  expect(findSection(pack, 'permissions')).toMatchObject({ rowCount: 10_000, totalRowCount: grants, truncated: true });
  expect(peak - before).toBeLessThan(memoryBytes);
});

test('the last page of 200,000 permissions ends in the catalogue order', { timeout: 180_000 }, async () => {
  const sections = ['permissions'];
  const pageAfter = async (after: readonly (string | null)[] | null) => {
    const continued = after && { section: 'permissions', after };
    const pack = JSON.parse(
      (await writePackBytes(facts, tenantId, { ...window, sections, continued })).toString(),
    ).data;
    return findSection(pack, 'permissions');
  };
  const { after } = JSON.parse((await pageAfter(null)).nextCursor);
  expect(after).toHaveLength(7);
  const last = await pageAfter(['agent-995', 'Files.Read.All', null, null, null, null, null]);
  expect(last).toMatchObject({ truncated: false, nextCursor: null, rowCount: 500, totalRowCount: 500 });
});
