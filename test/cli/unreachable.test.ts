import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@tenantscope/local';
import { expect, test } from 'vitest';
import { createCommandLine, run } from './command-line.ts';

/** Accepts connections and never responds, like a hung service. */
async function silentService(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

/** Connecting ends after 5 s; the start of a process has the rest, on a machine that is busy. */
const limitMs = 30_000;

const within = async <Result>(work: Promise<Result>): Promise<Result> => {
  const begunMs = performance.now();
  const result = await work;
  expect(performance.now() - begunMs).toBeLessThan(limitMs);
  return result;
};

test('an unreachable database is reported by address and variable without its password', async () => {
  await using hung = await silentService();
  for (const port of [await findFreePort(), hung.port]) {
    const environment = { TENANTSCOPE_ADMIN_DATABASE_URL: `postgres://someone:hunter2@127.0.0.1:${port}/nowhere` };
    const ran = await within(run(['tenant', 'list'], { environment }));
    expect(ran).toMatchObject({ status: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      new RegExp(
        `^tenantscope: PostgreSQL at 127\\.0\\.0\\.1:${port} does not respond.*\\(TENANTSCOPE_ADMIN_DATABASE_URL\\)\\n$`,
      ),
    );
  }
});

test('an unreachable control database is reported by its address too', async () => {
  await using line = await createCommandLine();
  const port = await findFreePort();
  const models = line.environment.TENANTSCOPE_ADMIN_DATABASE_URL ?? '';
  const control = `postgres://someone:hunter2@127.0.0.1:${port}/nowhere`;
  const environment = { ...line.environment, TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: control };
  const { status, stderr } = await within(line.with({ environment }, 'tenant', 'list'));
  expect(status).toBe(1);
  expect(stderr).toBe(
    `tenantscope: PostgreSQL at ${new URL(models).host} or 127.0.0.1:${port} does not respond (TENANTSCOPE_ADMIN_[CONTROL_]DATABASE_URL)\n`,
  );
});

test('a failed database login is reported without its password', async () => {
  await using line = await createCommandLine();
  const wrong = new URL(line.environment.TENANTSCOPE_ADMIN_DATABASE_URL ?? '');
  wrong.password = 'hunter2';
  const environment = { ...line.environment, TENANTSCOPE_ADMIN_DATABASE_URL: wrong.href };
  const { status, stderr } = await line.with({ environment }, 'tenant', 'list');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^tenantscope: PostgreSQL at [^ ]+ rejects this login \(TENANTSCOPE_ADMIN_DATABASE_URL\)\n$/);
});

test('an unreachable broker is reported by address and variable', async () => {
  await using line = await createCommandLine();
  await using hung = await silentService();
  const { id } = await line.json('tenant', 'create', '--name', 'Larkspur');
  const args = ['import', '--tenant', String(id), '--format', 'okta.system-log', '-'];
  for (const port of [await findFreePort(), hung.port]) {
    const environment = { ...line.environment, TENANTSCOPE_KAFKA_BROKERS: `127.0.0.1:${port}` };
    for (const command of [args, ['migrate']]) {
      const ran = await within(line.with({ environment, input: '{}' }, ...command));
      expect(ran).toMatchObject({ status: 1, stdout: '' });
      expect(ran.stderr).toMatch(
        new RegExp(`^tenantscope: Kafka at 127\\.0\\.0\\.1:${port} .*TENANTSCOPE_KAFKA_BROKERS`),
      );
    }
  }
});

test('missing variables of the process are read from the file of the surrounding checkout', async () => {
  await using line = await createCommandLine();
  const checkout = await mkdtemp(join(tmpdir(), 'tenantscope-checkout-'));
  const directory = join(checkout, 'some', 'where');
  const file = join(checkout, '.tenantscope', 'environment.json');
  try {
    await mkdir(directory, { recursive: true });
    await mkdir(join(checkout, '.tenantscope'));
    const missing = await run(['tenant', 'list'], { directory });
    expect(missing).toMatchObject({ status: 1, stdout: '' });
    expect(missing.stderr).toContain('TENANTSCOPE_ADMIN_DATABASE_URL is not set');

    await writeFile(file, JSON.stringify(line.environment));
    expect(await run(['tenant', 'list', '--json'], { directory })).toMatchObject({
      status: 0,
      stdout: '{"data":[]}\n',
    });

    const own = { TENANTSCOPE_ADMIN_DATABASE_URL: `postgres://a:b@127.0.0.1:${await findFreePort()}/c` };
    expect(await run(['tenant', 'list'], { directory, environment: own })).toMatchObject({ status: 1 });

    await writeFile(file, '{"TENANTSCOPE_ADMIN_DATABASE_URL": "postgres://a:hunter2@');
    const broken = await run(['tenant', 'list'], { directory });
    expect(broken).toMatchObject({ status: 1, stdout: '' });
    expect(broken.stderr).toContain('environment.json is not a JSON object');
    expect(broken.stderr).not.toContain('hunter2');
  } finally {
    await rm(checkout, { recursive: true, force: true });
  }
});
