import { readScheduledTenants, readTakenPeriods, readWaitingRequests } from '@tenantscope/store';
import { createDirectly } from './directly.ts';
import type { Observed } from './observations.ts';
import type { Nudge, WorkQueue } from './queue.ts';
import { repeat } from './repeat.ts';
import { type OwedPeriod, owedPeriods, type Schedule } from './schedule.ts';
import type { Taking } from './take-snapshot.ts';
import type { Work } from './work.ts';

type Pool = Taking['models'];

export interface AppointmentsOptions {
  readonly control: Pool;
  readonly models: Pool;
  readonly schedule: Schedule;
  readonly queue: WorkQueue;
  readonly work: Work;
  readonly observed: Observed;
  /** Between two looks at what is due. */
  readonly intervalMs: number;
  /** What this process has seen due for so long is done here, without the queue. */
  readonly directAfterMs: number;
}

export interface Appointments extends AsyncDisposable {
  /** For how long a look is overdue; below zero while both are made in time. */
  stillMs(): number;
}

const requestIntervalMs = 1_000;
const requestsAtOnce = 100;
/** Somebody waits for these. */
const requestDirectAfterMs = 5_000;
/** By the worker's clock, which may be a little before the database's. */
const notTooEarlyMs = 200;

/**
 * Compares what is due with what is there, and nudges the workers about the difference; any number of processes may. Nothing is remembered between two
 * looks but since when something has been due without being done: whatever the reason, Redis lost, hung or its queue stuck, after a while it is done
 * directly.
 */
export function keepAppointments(options: AppointmentsOptions): Appointments {
  const { queue, work, observed } = options;
  const patience = createPatience();
  const directWeeks = createDirectly(observed);
  const directRequests = createDirectly(observed);

  const lookAtWeeks = async () => {
    const { missing, clockMs } = await readMissing(options);
    const overdue = missing.filter(({ dueAtMs }) => dueAtMs <= clockMs);
    observed.overdue(overdue.length, Math.max(0, ...overdue.map(({ dueAtMs }) => clockMs - dueAtMs)));
    await queue.send(nudgesOf(missing, clockMs));
    const outwaited = patience.outwaited(overdue.map(nameOf), options.directAfterMs);
    const tenantIds = new Set(overdue.filter((one) => outwaited.has(nameOf(one))).map(({ tenantId }) => tenantId));
    directWeeks.begin([...tenantIds].map((tenantId) => ({ what: { tenantId }, run: () => work.takeOwed(tenantId) })));
  };
  const lookAtRequests = async () => {
    const waiting = await readWaitingRequests(options.models, { limit: requestsAtOnce });
    await queue.send(waiting.map(({ id }) => ({ about: 'request', requestId: id })));
    directRequests.begin(
      waiting
        .filter(({ waitedMs }) => waitedMs >= Math.min(requestDirectAfterMs, options.directAfterMs))
        .map(({ id }) => ({ what: { requestId: id }, run: () => work.takeRequested(id) })),
    );
  };

  const loop = (look: () => Promise<void>, intervalMs: number, what: string) => {
    let nextAt = performance.now() + intervalMs;
    const repeated = repeat(intervalMs, async () => {
      await look().catch((error: unknown) => observed.trouble(what, error));
      nextAt = performance.now() + intervalMs;
    });
    return Object.assign(repeated, { stillMs: () => performance.now() - nextAt });
  };
  const loops = [
    loop(lookAtWeeks, options.intervalMs, 'what is due cannot be seen at the moment'),
    loop(lookAtRequests, requestIntervalMs, 'what was asked for cannot be seen at the moment'),
  ];
  return {
    stillMs: () => Math.max(...loops.map((each) => each.stillMs())),
    async [Symbol.asyncDispose]() {
      await Promise.all([...loops, directWeeks, directRequests].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

const tenantsAtOnce = 1_000;

/** What is owed until the next look and not there. */
async function readMissing({
  control,
  models,
  schedule,
  intervalMs,
}: AppointmentsOptions): Promise<{ missing: OwedPeriod[]; clockMs: number }> {
  const { tenants, clockMs } = await readScheduledTenants(control);
  const missing: OwedPeriod[] = [];
  for (let from = 0; from < tenants.length; from += tenantsAtOnce) {
    const some = tenants.slice(from, from + tenantsAtOnce);
    const owed = some.flatMap((tenant) => owedPeriods(tenant, clockMs + intervalMs, schedule));
    const periods = [...new Set(owed.map(({ period }) => period))];
    const taken = await readTakenPeriods(
      models,
      some.map(({ id }) => id),
      periods,
    );
    const present = new Set(taken.map(nameOf));
    missing.push(...owed.filter((one) => !present.has(nameOf(one))));
  }
  return { missing, clockMs };
}

const nameOf = ({ tenantId, period }: { tenantId: string; period: string }) => `${tenantId} ${period}`;

/** Of each tenant one for all that is overdue, since who takes one takes all, and one for what is about to be due. */
function nudgesOf(missing: readonly OwedPeriod[], clockMs: number): Nudge[] {
  const first = new Map<string, OwedPeriod>();
  for (const one of missing) {
    const group = `${one.tenantId} ${one.dueAtMs <= clockMs}`;
    if (!first.has(group)) first.set(group, one);
  }
  return [...first.values()].map(({ tenantId, period, dueAtMs }) => ({
    about: 'tenant',
    tenantId,
    period,
    delayMs: dueAtMs <= clockMs ? 0 : Math.ceil(dueAtMs - clockMs) + notTooEarlyMs,
  }));
}

/** Remembers since when each name has been there without a break. */
function createPatience() {
  let since = new Map<string, number>();
  return {
    outwaited(names: readonly string[], patienceMs: number): Set<string> {
      const now = performance.now();
      since = new Map(names.map((name) => [name, since.get(name) ?? now]));
      return new Set(names.filter((name) => now - (since.get(name) ?? now) >= patienceMs));
    },
  };
}
