import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ConfigError, createLog, createMetrics, readConfig, redactSecrets, serveHealth } from '../src/index.ts';

test('a missing or wrong variable is named and its value is not', () => {
  const shape = z.object({ PORT: z.coerce.number().int(), DATABASE_URL: z.url() });
  const read = () => readConfig(shape, { PORT: 'secret-port', DATABASE_URL: '' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/DATABASE_URL is not set/);
  expect(read).not.toThrow(/secret-port/);
});

test('keys and passwords never reach a log line', () => {
  const line = redactSecrets('key tscope_live_abcdefgh0123 at postgres://reader:hunter2@db:5432/x');
  expect(line).toBe('key tscope_live_[redacted] at postgres://reader:[redacted]@db:5432/x');
});

test('the arguments of a refused Redis command never reach a log line', () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  try {
    const command = { name: 'hello', args: ['3', 'AUTH', 'jobs', 'hunter2'] };
    createLog({ name: 'test' }).warn({ err: Object.assign(new Error('WRONGPASS'), { command }) }, 'Redis unavailable');
  } finally {
    write.mockRestore();
  }
  expect(lines.join('')).toContain('WRONGPASS');
  expect(lines.join('')).not.toContain('hunter2');
});

test('a failing probe returns its reason, and a hanging probe fails', async () => {
  let verdict: true | string = true;
  await using health = await serveHealth({
    host: '127.0.0.1',
    port: 0,
    live: () => true,
    ready: () => verdict,
    metrics: createMetrics('api'),
  });
  const request = (path: string) => fetch(`http://127.0.0.1:${health.port}${path}`);
  expect((await request('/readyz')).status).toBe(200);
  const scrape = async () => (await request('/metrics')).text();
  expect(await scrape()).toContain('tenantscope_ready{process="api"} 1');
  verdict = 'draining';
  expect(await scrape()).toContain('tenantscope_ready{process="api"} 0');
  const red = await request('/readyz');
  expect([red.status, await red.json()]).toEqual([503, { status: 'failing', reason: 'draining' }]);
  expect((await request('/livez')).status).toBe(200);
  expect(await scrape()).toContain('process_cpu_seconds_total');
  expect((await request('/elsewhere')).status).toBe(404);
});
