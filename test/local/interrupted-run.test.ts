import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout, isProcessAlive, listProcessTree, readProcessIdentity } from '@tenantscope/local';
import { expect, inject, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';

/** A file that starts processes of the product, and its browser if there is one. */
const file = 'test/console/e2e/members.test.ts';
const fileWithoutBrowser = 'test/api/requests.test.ts';

test.each([
  ['SIGINT', fileWithoutBrowser],
  ['SIGTERM', fileWithoutBrowser],
  ['SIGKILL', file],
] as const)('no process outlives a test run that ends by %s', async (signal, path) => {
  const services = inject('services');
  const runner = spawn(process.execPath, [join(checkout, 'infra', 'local', 'setup.mjs'), 'test', path], {
    cwd: checkout,
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      TENANTSCOPE_TEST_SERVICES: 'external',
      TENANTSCOPE_KAFKA_BROKERS: services.kafka,
      TENANTSCOPE_POSTGRES_URL: services.postgres,
      TENANTSCOPE_REDIS_URL: services.redis,
    },
  });
  const runnerPid = runner.pid ?? 0;
  const seen = new Map<number, { identity: string; command: string }>();
  try {
    await eventually('the run has started a process of the product', 60_000, () => {
      expect(runner.exitCode, 'the run ended before it was interrupted').toBeNull();
      for (const pid of listProcessTree(runnerPid)) {
        const identity = readProcessIdentity(pid);
        if (identity !== null) seen.set(pid, { identity, command: readCommand(pid) });
      }
      return [...seen.values()].some(({ command }) => /\/tenantscope-bundle\/\w+\/api\.mjs/.test(command));
    });
    runner.kill(signal);
    await once(runner, 'exit');
    const listSurvivors = () =>
      [...seen]
        .filter(([pid, { identity }]) => readProcessIdentity(pid) === identity && isProcessAlive(pid))
        .map(([, { command }]) => command);
    await eventually('all its processes have ended', 30_000, () => {
      expect(listSurvivors()).toEqual([]);
      return true;
    });
  } finally {
    for (const [pid, { identity }] of seen) if (readProcessIdentity(pid) === identity) process.kill(pid, 'SIGKILL');
  }
});

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
