import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scopes } from '@tenantscope/contract';
import { findFreePort } from '@tenantscope/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type KeyProxy, startKeyProxy } from './key-proxy.ts';

const handshake = '2025-11-25';
const perRequest = '2026-07-28';

/** Every scenario for a server with its own tools and prompts. The others need special tools, resources or a stream. */
const scenarios: readonly (readonly [scenario: string, version: string])[] = [
  ['server-initialize', handshake],
  ['ping', handshake],
  ['tools-list', handshake],
  ['prompts-list', handshake],
  ['resources-list', handshake],
  ['dns-rebinding-protection', handshake],
  ['server-stateless', perRequest],
  ['tools-list', perRequest],
  ['prompts-list', perRequest],
  ['resources-list', perRequest],
  ['http-header-validation', perRequest],
  ['caching', perRequest],
  ['dns-rebinding-protection', perRequest],
  ['sep-2164-resource-not-found', perRequest],
  ['input-required-result-unsupported-methods', perRequest],
  ['input-required-result-ignore-extra-params', perRequest],
  ['input-required-result-validate-input', perRequest],
];

/** Their checks that need special tools or resources. */
const notOurs = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
];

const program = fileURLToPath(new URL('../../node_modules/.bin/conformance', import.meta.url));

let installation: Installation;
let directory: string;
let proxy: KeyProxy;

beforeAll(async () => {
  installation = await startInstallation();
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-conformance-'));
  const port = await findFreePort();
  const api = await installation.startApi({
    TENANTSCOPE_MCP_ORIGINS: `http://127.0.0.1:${port}`,
  });
  const { id } = await installation.createTenant();
  const key = { name: 'suite', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  const secrets = await Promise.all(scenarios.map(async () => (await installation.admin.keys.create(key)).secret));
  let next = 0;
  proxy = await startKeyProxy(
    () => api.baseUrl,
    () => secrets[next++ % secrets.length] ?? '',
    port,
  );
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

test.concurrent.each(scenarios)('the scenario %s of %s conforms', { timeout: 180_000 }, async (scenario, version) => {
  const url = `${proxy.origin}/api/v1/mcp`;
  const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', version, '--timeout', '15000'];
  const output = await run([...args, '-o', join(directory, `${scenario}-${version}`)]);
  const checks = [...output.matchAll(/^\S+Z \[([\w.-]+)\s*\] +(SUCCESS|FAILURE|WARNING|SKIPPED|INFO)/gm)];
  expect(checks.filter(([, , outcome]) => outcome === 'SUCCESS').length, output).toBeGreaterThan(0);
  const failed = checks.filter(([, name = '', outcome]) => outcome === 'FAILURE' && !notOurs.includes(name));
  expect(
    failed.map(([, name]) => name),
    output,
  ).toEqual([]);
});

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: directory, env: { PATH: process.env.PATH, NO_COLOR: '1' }, timeout: 55_000 };
    execFile(process.execPath, [program, ...args], options, (_, stdout, stderr) =>
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors use them
      resolve((stdout + stderr).replace(/\x1b\[[0-9;]*m/g, '')),
    );
  });
}
