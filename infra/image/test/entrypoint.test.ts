import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '@tenantscope/local';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The entry point of the image with the sources of the checkout.

let directory: string;
let program: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-entrypoint-'));
  program = join(directory, 'entrypoint.mjs');
  const text = await readFile(join(checkout, 'infra', 'image', 'files', 'entrypoint.mjs'), 'utf8');
  await writeFile(program, text.replaceAll('/app/', `${checkout}/`));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)(
  '%s ends a command that waits, also where it is process 1, for which the signal has no default action',
  {
    timeout: 60_000,
  },
  async (signal, status) => {
    const sockets = new Set<{ destroy(): void }>();
    const silentBroker = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silentBroker, 'listening');
    const { port } = silentBroker.address() as AddressInfo;
    const args = ['kafka-acls', '--apply', '--wait', '600'];
    const environment = { PATH: process.env.PATH, TENANTSCOPE_KAFKA_BROKERS: `127.0.0.1:${port}` };
    const child = spawn(process.execPath, [program, ...args], { cwd: directory, env: environment, stdio: 'ignore' });
    const ended = once(child, 'exit');
    try {
      await once(silentBroker, 'connection');
      child.kill(signal);
      expect(await ended).toEqual([status, null]);
    } finally {
      child.kill('SIGKILL');
      for (const socket of sockets) socket.destroy();
      silentBroker.close();
    }
  },
);

test('SIGTERM ends a process whose modules are still loaded with status 0', { timeout: 60_000 }, async () => {
  const modules = join(directory, 'apps', 'api', 'src');
  await mkdir(modules, { recursive: true });
  await writeFile(
    join(modules, 'main.ts'),
    "console.log('loading'); await new Promise(() => setInterval(() => {}, 1_000));",
  );
  const loading = join(directory, 'loading.mjs');
  await writeFile(loading, (await readFile(program, 'utf8')).replaceAll(`${checkout}/`, `${directory}/`));
  const child = spawn(process.execPath, [loading, 'api'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});
