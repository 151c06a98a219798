import { setTimeout as sleep } from 'node:timers/promises';
import { readAdminUrls } from '@tenantscope/cli/config';
import { type Admin, connectAdmin } from '@tenantscope/store/admin';
import type { EnvironmentVariables } from './application.ts';
import type { DemoSettings } from './saved-settings.ts';

const timeoutMs = 120_000;
const dayMs = 86_400_000;
const weeksBack = 4;
const manualSnapshots = 2;

/**
 * Waits until every tenant of the demonstration has the snapshots of the past weeks it was connected in, and requests two manual ones,
 * as before an audit, unless it has any.
 */
export async function createDemoSnapshots(environment: EnvironmentVariables, { tenants }: DemoSettings): Promise<void> {
  await using admin = await connectAdmin(readAdminUrls(environment), 'cli:start');
  await Promise.all(
    tenants.map(async ({ id }) => {
      const { connectedAt } = await admin.tenants.find(id);
      const expected = weeksSince(Date.parse(connectedAt), Date.now());
      await waitUntil(async () => (await admin.snapshots.list(id, weeksBack)).length >= expected);
      const present = await admin.snapshots.list(id, 1_000);
      if (!present.some(({ trigger }) => trigger === 'manual')) await takeManualSnapshots(admin, id);
    }),
  );
}

async function takeManualSnapshots(admin: Admin, tenantId: string): Promise<void> {
  for (let taken = 0; taken < manualSnapshots; taken++) {
    const { id } = await admin.snapshots.request(tenantId, 'start');
    await waitUntil(async () => (await admin.snapshots.readRequest(tenantId, id)).state !== 'waiting');
  }
}

/** UTC weeks that ended since, at most those that are checked. The first day of 1970 was a Thursday. */
function weeksSince(connectedMs: number, nowMs: number): number {
  const mondays = (ms: number) => Math.floor((ms / dayMs + 3) / 7);
  return Math.min(weeksBack, mondays(nowMs) - mondays(connectedMs));
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !(await condition()); await sleep(200)) {
    if (Date.now() > deadline) throw new Error(`snapshots not taken within ${timeoutMs / 1000} s`);
  }
}
