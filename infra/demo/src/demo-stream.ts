import { chanceFrom } from './chance.ts';
import { type DemoRecord, perform } from './demo-record.ts';
import type { DemoTenant } from './demo-tenants.ts';
import { loggedRepertoireOf } from './repertoire.ts';
import { leftBehind } from './storylines/left-behind.ts';

/**
 * A company's present as its log tells it, without end: what happens from `startMs` on, about `perSecond` records a second, each to be published when
 * its time has come. Another start is another run, and shares no record with this one.
 */
export function* demoStream(options: {
  tenant: DemoTenant;
  startMs: number;
  seed?: string;
  perSecond?: number;
}): Generator<DemoRecord, never> {
  const { tenant, startMs, seed = 'tenantscope', perSecond = 2 } = options;
  const chance = chanceFrom(`${seed}/${tenant.azureTenantId}/stream/${startMs}`);
  const repertoire = loggedRepertoireOf(tenant.company.plan);
  const company = leftBehind(tenant.company);
  let atMs = startMs;
  for (;;) {
    atMs += -Math.log(1 - chance.next()) * (1_000 / perSecond);
    yield perform(chance.weighted(repertoire), company, chance, Math.floor(atMs));
  }
}
