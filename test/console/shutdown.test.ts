import { expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { startInstallation } from '../installation/installation.ts';
import { startConsoleProcess } from '../observability/console-process.ts';

test('a console that is stopped serves requests until load balancers have noticed', async () => {
  await using installation = await startInstallation();
  await using running = await startConsoleProcess({ ...installation.environment, TENANTSCOPE_DRAIN_MS: '8000' });
  running.kill('SIGTERM');
  await eventually('it is not ready', 5_000, async () => !(await running.ready()));
  expect((await fetch(`${running.url}/console/api/me`)).status).toBe(401);
  expect(await running.gone).toBe(0);
  expect(running.output()).not.toContain('shutdown deadline exceeded');
}, 120_000);
