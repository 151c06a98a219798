import { listActivities } from './activity-catalogue.ts';
import { chooseArrivalTime, chooseTime } from './activity-times.ts';
import { createDemoRecord, type DemoRecord } from './demo-record.ts';
import type { DemoTenant } from './demo-tenants.ts';
import { createRandom } from './random.ts';
import { createRemainingCompany, victimDisabledMs } from './storylines/after-storyline.ts';
import { createEarlierEvents } from './storylines/earlier-events.ts';
import { createStoryline, toDemoRecords } from './storylines/storyline.ts';

/**
 * The log history of a company: `count` records over the `days` before `endMs`, in order of arrival, which is not the order of
 * occurrence. It holds routine activity, and the storyline of the tenant's plan a few days before the end.
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
  const random = createRandom(`${seed}/${tenant.azureTenantId}/history`);
  const span = { fromMs: endMs - days * 86_400_000, toMs: endMs, utcOffsetHours: company.plan.utcOffsetHours };
  const repertoire = listActivities(company.plan);
  const untilMs = victimDisabledMs(company, endMs);

  const earlier = toDemoRecords(company, random, createEarlierEvents(company, endMs), endMs);
  const remarkable = [...createStoryline(company, random, endMs), ...earlier].slice(0, count);
  const everyday = Array.from({ length: count - remarkable.length }, () => {
    const activity = random.weighted(repertoire);
    const atMs = chooseTime(activity, random, span);
    const event = createDemoRecord(activity, atMs < untilMs ? company : createRemainingCompany(company), random, atMs);
    return { event, arrivedAtMs: chooseArrivalTime(activity, random, event.occurredAtMs) };
  });
  const arrived = [
    ...everyday,
    ...remarkable.map((event) => ({
      event,
      arrivedAtMs: chooseArrivalTime({ delay: 'hour' }, random, event.occurredAtMs),
    })),
  ];
  arrived.sort((one, other) => one.arrivedAtMs - other.arrivedAtMs);
  for (const { event } of arrived) yield event;
}
