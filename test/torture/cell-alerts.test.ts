import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type Prometheus, startPrometheus } from '../observability/prometheus.ts';
import { isLong } from './random.ts';

describe.runIf(isLong)('alerts of cells', { tags: ['torture'] }, () => {
  const stack = new AsyncDisposableStack();
  let installation: Installation;
  let prometheus: Prometheus;
  let ingestPort: number;

  beforeAll(async () => {
    prometheus = stack.use(await startPrometheus());
    installation = stack.use(await startInstallation());
    ingestPort = (await installation.startIngest()).healthPort;
  }, 300_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  test("a cell with the address of another cell's database is unavailable, and the alert fires", async () => {
    const { host, pathname } = new URL(installation.database.roles.api);
    await using misled = await installation.startApi({
      TENANTSCOPE_CELLS: 'eu1',
      TENANTSCOPE_CELL_EU1_DATABASE: host + pathname,
    });
    await prometheus.scrape('api', misled.healthPort);
    await prometheus.expectFiring('TenantscopeCellUnavailable');
    const { status, unavailableCells } = (await (
      await fetch(`http://127.0.0.1:${misled.healthPort}/readyz`)
    ).json()) as { status: string; unavailableCells: Record<string, string> };
    expect(status).toBe('ok');
    expect(unavailableCells).toEqual({ eu1: 'the database is that of the cell default, not of the cell eu1' });
  }, 300_000);

  test('a tenant that is fenced longer than a move takes fires the alert until the fence is removed', async () => {
    await prometheus.scrape('ingest', ingestPort);
    const { id } = await installation.admin.tenants.create({
      name: 'Fenced',
      organizationId: null,
      azureTenantId: null,
    });
    const superuser = new pg.Client(installation.database.superuser);
    await superuser.connect();
    try {
      // As a command leaves it that was killed two minutes ago.
      await superuser.query(
        `insert into models.tenant_move (tenant_id, cell, is_arriving, served_through, since)
         values ($1, 'eu1', false, now(), now() - interval '2 minutes')`,
        [id],
      );
      await prometheus.expectFiring('TenantscopeTenantFenced');
      expect(await prometheus.query('tenantscope_fenced_tenants')).toBe(1);
      await superuser.query('delete from models.tenant_move where tenant_id = $1', [id]);
      await prometheus.expectEnd('TenantscopeTenantFenced');
    } finally {
      await superuser.end();
    }
  }, 300_000);
});
