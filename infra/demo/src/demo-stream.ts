import { listLogOnlyActivities } from './activity-catalogue.ts';
import { createDemoRecord, type DemoRecord } from './demo-record.ts';
import type { DemoTenant } from './demo-tenants.ts';
import { createRandom } from './random.ts';
import { createRemainingCompany } from './storylines/after-storyline.ts';

/**
 * An endless stream of log records from `startMs`, about `perSecond` records per second, each to be published at its time. Another start time
 * gives another stream without common records.
 */
export function* demoStream(options: {
  tenant: DemoTenant;
  startMs: number;
  seed?: string;
  perSecond?: number;
}): Generator<DemoRecord, never> {
  const { tenant, startMs, seed = 'tenantscope', perSecond = 2 } = options;
  const random = createRandom(`${seed}/${tenant.azureTenantId}/stream/${startMs}`);
  const repertoire = listLogOnlyActivities(tenant.company.plan);
  const company = createRemainingCompany(tenant.company);
  let atMs = startMs;
  for (;;) {
    atMs += -Math.log(1 - random.next()) * (1_000 / perSecond);
    yield createDemoRecord(random.weighted(repertoire), company, random, Math.floor(atMs));
  }
}
