import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, connectAdmin } from '@tenantscope/store';
import type { Environment } from './application.ts';
import type { Demo } from './kept.ts';

const timeoutMs = 120_000;
const dayMs = 86_400_000;
const weeksBack = 4;
const byHand = 2;

/**
 * Waits until every tenant of the demonstration has the snapshots of the past weeks it was connected in, and has two more taken by hand,
 * as before an audit, unless it has some.
 */
export async function standSnapshots(environment: Environment, { tenants }: Demo): Promise<void> {
  const { TENANTSCOPE_ADMIN_DATABASE_URL: models = '', TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: control = '' } =
    environment;
  await using admin = await connectAdmin({ models, control }, 'start');
  await Promise.all(
    tenants.map(async ({ id }) => {
      const { connectedAt } = await admin.tenants.find(id);
      const wanted = weeksSince(Date.parse(connectedAt), Date.now());
      await until(async () => (await admin.snapshots.list(id, weeksBack)).length >= wanted);
      const present = await admin.snapshots.list(id, 1_000);
      if (!present.some(({ trigger }) => trigger === 'manual')) await takeByHand(admin, id);
    }),
  );
}

async function takeByHand(admin: Admin, tenantId: string): Promise<void> {
  for (let taken = 0; taken < byHand; taken++) {
    const { id } = await admin.snapshots.request(tenantId, 'start');
    await until(async () => (await admin.snapshots.showRequest(id)).state !== 'waiting');
  }
}

/** Weeks of UTC that ended since, as far as they are looked back on. The first day of 1970 was a Thursday. */
function weeksSince(connectedMs: number, nowMs: number): number {
  const mondays = (ms: number) => Math.floor((ms / dayMs + 3) / 7);
  return Math.min(weeksBack, mondays(nowMs) - mondays(connectedMs));
}

async function until(came: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !(await came()); await sleep(200)) {
    if (Date.now() > deadline) throw new Error(`snapshots were not taken within ${timeoutMs / 1000} s`);
  }
}
