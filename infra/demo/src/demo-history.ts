import { chanceFrom } from './chance.ts';
import { type DemoRecord, perform } from './demo-record.ts';
import type { DemoTenant } from './demo-tenants.ts';
import { repertoireOf } from './repertoire.ts';
import { arrivalOf, momentOf } from './rhythm.ts';
import { earlierOf } from './storylines/earlier.ts';
import { disabledMs, leftBehind } from './storylines/left-behind.ts';
import { storylineOf, told } from './storylines/storyline.ts';

/**
 * A company's past: `count` records over the `days` before `endMs`, in the order in which they would have arrived, which is not
 * the order in which they happened. Everyday work, and the storyline of the tenant's plan a few days before the end.
 * The same arguments always give the same records.
 */
export function* demoHistory(options: {
  tenant: DemoTenant;
  endMs: number;
  days?: number;
  seed?: string;
  count?: number;
}): Generator<DemoRecord> {
  const { tenant, endMs, days = 30, seed = 'tenantscope', count = tenant.historyCount } = options;
  const { company } = tenant;
  const chance = chanceFrom(`${seed}/${tenant.azureTenantId}/history`);
  const span = { fromMs: endMs - days * 86_400_000, toMs: endMs, utcOffsetHours: company.plan.utcOffsetHours };
  const repertoire = repertoireOf(company.plan);
  const untilMs = disabledMs(company, endMs);

  const earlier = told(company, chance, earlierOf(company, endMs), endMs);
  const remarkable = [...storylineOf(company, chance, endMs), ...earlier].slice(0, count);
  const everyday = Array.from({ length: count - remarkable.length }, () => {
    const activity = chance.weighted(repertoire);
    const atMs = momentOf(activity, chance, span);
    const event = perform(activity, atMs < untilMs ? company : leftBehind(company), chance, atMs);
    return { event, arrivedAtMs: arrivalOf(activity, chance, event.occurredAtMs) };
  });
  const arrived = [
    ...everyday,
    ...remarkable.map((event) => ({ event, arrivedAtMs: arrivalOf({ delay: 'hour' }, chance, event.occurredAtMs) })),
  ];
  arrived.sort((one, other) => one.arrivedAtMs - other.arrivedAtMs);
  for (const { event } of arrived) yield event;
}
