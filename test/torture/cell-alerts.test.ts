import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type Prometheus, startPrometheus } from '../observability/prometheus.ts';
import { isLong } from './random.ts';

describe.runIf(isLong)('alerts of cells', { tags: ['torture'] }, () => {
  const stack = new AsyncDisposableStack();
  let installation: Installation;
  let prometheus: Prometheus;

  beforeAll(async () => {
    prometheus = stack.use(await startPrometheus());
    installation = stack.use(await startInstallation());
    await installation.startIngest();
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
});
