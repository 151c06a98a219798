import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type Prometheus, startPrometheus } from '../observability/prometheus.ts';
import { isLong } from './random.ts';

// The canary of a running installation: quiet without a broken guarantee; each way of breaking it by hand fires its alert.

const minuteMs = 60_000;

describe.runIf(isLong)('alerts of the canary', { tags: ['torture'] }, () => {
  const stack = new AsyncDisposableStack();
  let installation: Installation;
  let prometheus: Prometheus;
  let superuser: pg.Client;
  let canary: Record<string, string>;
  const alerts = ['TenantscopeCanaryMissed', 'TenantscopeCanaryRepeated', 'TenantscopeCanaryWindowChanged'];

  beforeAll(async () => {
    prometheus = stack.use(await startPrometheus());
    installation = stack.use(await startInstallation());
    superuser = new pg.Client(installation.database.superuser);
    await superuser.connect();
    stack.defer(() => superuser.end());
    const tenant = await installation.createTenant('Canary');
    const [, api] = await Promise.all([installation.startIngest(), installation.startApi()]);
    canary = {
      TENANTSCOPE_CANARY_TENANT_ID: tenant.id,
      TENANTSCOPE_CANARY_API_URL: api.baseUrl,
      TENANTSCOPE_CANARY_API_KEY: tenant.secret,
    };
    const jobs = await installation.startJobs(canary);
    await prometheus.scrape('jobs', jobs.healthPort);
  }, 300_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  /** Applies to a row that is older than 15 s: pollers have read it. Of the last 50 s: its window has not been read again. */
  const changeRow = async (assignment: string): Promise<void> => {
    const { rowCount } = await superuser.query(
      `update models.audit_log set ${assignment} where id =
         (select id from models.audit_log where discovered_at between now() - interval '40 s' and now() - interval '25 s' limit 1)`,
    );
    expect(rowCount).toBe(1);
  };

  test('without a broken guarantee, rows arrive, windows are read again and no alert fires', async () => {
    const rows = 'sum(tenantscope_canary_rows_total)';
    await eventually('90 rows', 3 * minuteMs, async () => ((await prometheus.query(rows)) ?? 0) > 90);
    const firing = await prometheus.firing();
    for (const alert of [...alerts, 'TenantscopeCanaryStalled']) expect(firing).not.toContain(alert);
    expect(await prometheus.query('sum(tenantscope_canary_failures_total{step="repeat"}) or vector(0)')).toBe(0);
  }, 900_000);

  test('a row that is written again at a later time fires the alert of repeated rows', async () => {
    await changeRow(`discovered_at = now() + interval '2 s'`);
    await prometheus.expectFiring('TenantscopeCanaryRepeated', 'TenantscopeCanaryWindowChanged');
    expect(await prometheus.firing()).not.toContain('TenantscopeCanaryMissed');
  }, 600_000);

  test('a row that appears at or before the time of completeness fires the alert of missed rows', async () => {
    await changeRow('id = gen_random_uuid()');
    await prometheus.expectFiring('TenantscopeCanaryMissed');
    const byPoller = (poller: string) => prometheus.query(`sum(tenantscope_canary_missed_total{poller="${poller}"})`);
    expect([await byPoller('cursor'), await byPoller('window')]).toEqual([1, 1]);
  }, 600_000);

  test('a canary whose key is refused fires the alert of a stalled canary', async () => {
    const jobs = await installation.startJobs({ ...canary, TENANTSCOPE_CANARY_API_KEY: 'refused' });
    await prometheus.scrape('jobs-2', jobs.healthPort);
    await prometheus.expectFiring('TenantscopeCanaryStalled');
  }, 600_000);
});
