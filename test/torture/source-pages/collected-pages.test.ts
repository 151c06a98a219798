// @module-tag torture
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCollecting } from '../../collect/collect-process.ts';
import { startGoogleServer } from '../../collect/google-server.ts';
import { graphAudit, graphSignIn, graphUser } from '../../collect/graph-records.ts';
import { startGraphServer } from '../../collect/graph-server.ts';
import { startO365Server } from '../../collect/o365-server.ts';
import { oktaEvent } from '../../collect/okta-event.ts';
import { startOktaServer } from '../../collect/okta-server.ts';
import { activityRecord } from '../../installation/activity-records.ts';
import { graphAlert } from '../../installation/alert-messages.ts';
import { eventually } from '../../installation/eventually.ts';
import { readField, readRows } from './page-commands.ts';
import { type PageInstallation, startPageInstallation } from './page-installation.ts';

const stack = new AsyncDisposableStack();
let running: PageInstallation;

beforeAll(async () => {
  running = await startPageInstallation(stack);
  stack.use(await startCollecting(running.installation.environment));
}, 120_000);
afterAll(() => stack.disposeAsync(), 60_000);

/** The last options of a command that creates a collector: those that the page documents for other addresses. */
const at = (url: string) => `--url ${url} --login-url ${url} --secret-file`;

/** The sources of `tenantscope source status` that have a complete import and no gap. */
async function waitForImports(tenantId: string, sources: readonly string[]): Promise<void> {
  const list = () =>
    running.installation.cli<{ sources: { source: string; importedAt: string | null; gaps: unknown[] | null }[] }>(
      ...['sources', '--tenant', tenantId],
    );
  await eventually(`imports of ${sources.join(', ')}`, 120_000, async () => {
    const listed = (await list()).sources;
    const complete = listed.filter(({ importedAt, gaps }) => importedAt !== null && gaps?.length === 0);
    return sources.every((name) => complete.some(({ source }) => source === name));
  }).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${JSON.stringify((await list()).sources)}`);
  });
}

test('the commands of the page of Google Workspace return rows, from a key file on', async () => {
  await using server = await startGoogleServer();
  const time = new Date(Date.now() - 60_000).toISOString();
  server.addActivity('login', {
    kind: 'admin#reports#activity',
    id: { time, uniqueQualifier: '1', applicationName: 'login', customerId: 'C03az79cb' },
    actor: { email: 'ada@example.com', profileId: '1' },
    events: [{ type: 'login', name: 'login_success' }],
  });
  server.putAlert({
    ...{ customerId: 'C03az79cb', alertId: randomUUID(), createTime: time, updateTime: time, startTime: time },
    ...{ type: 'User reported phishing', source: 'Gmail phishing', metadata: { status: 'NOT_STARTED' } },
  });
  const page = await running.open('google.md');
  await writeFile(join(page.directory, 'key.json'), server.keyFile);
  await page.next('install');
  const tenantId = readField(await page.next('tenant create'), 'id');
  await page.next('collector create', {
    replace: { TENANT_ID: tenantId, 'collector@example.com': server.subject, '--secret-file': at(server.url) },
  });
  await running.waitForRows(tenantId, 1, 1);
  await waitForImports(tenantId, ['logs/login', 'logs/gemini_in_workspace_apps', 'security_alerts/google']);
  const seen = await page.next('collector list', { replace: { TENANT_ID: tenantId } });
  for (const source of ['logs/login', 'security_alerts/google']) expect(seen).toContain(source);
  expect(await readRows(page, tenantId, running.baseUrl)).toHaveLength(1);
});

test('the commands of the page of Office 365 return rows, from a client secret on', async () => {
  await using server = await startO365Server();
  server.addBlob('Audit.Exchange', [activityRecord(1), activityRecord(2)], Date.now() - 60_000);
  const page = await running.open('o365.md');
  await page.next('read -rs SECRET', { input: `${server.login.clientSecret}\n` });
  const { directoryId, clientId } = server.login;
  const tenantId = readField(await page.next('tenant create', { replace: { DIRECTORY_ID: directoryId } }), 'id');
  await page.next('collector create', {
    replace: { TENANT_ID: tenantId, APPLICATION_ID: clientId, '--secret-file': at(server.url) },
  });
  await running.waitForRows(tenantId, 2);
  await waitForImports(tenantId, ['logs/Audit.Exchange', 'logs/DLP.All']);
  expect(server.subscriptions()).toHaveLength(5);
  const seen = await page.next('collector list', { replace: { TENANT_ID: tenantId } });
  expect(seen).toContain('logs/Audit.Exchange');
  expect(await readRows(page, tenantId, running.baseUrl)).toHaveLength(2);
});

test('the commands of the page of Microsoft Graph return rows, from a certificate on', async () => {
  await using server = await startGraphServer();
  const page = await running.open('graph.md');
  const files = ['-keyout', join(page.directory, 'private-key.pem'), '-out', join(page.directory, 'certificate.pem')];
  await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=c', ...files]);
  server.login.addCertificate(await readFile(join(page.directory, 'certificate.pem'), 'utf8'));
  server.alerts.put(graphAlert({ lastUpdateDateTime: new Date(Date.now() - 60_000).toISOString() }));
  server.audits.put(graphAudit(1, Date.now() - 60_000));
  server.signIns.put(graphSignIn(1, Date.now() - 60_000));
  server.users.put(graphUser(1));
  await page.next('private-key.pem');
  const { directoryId, clientId } = server.login;
  const tenantId = readField(await page.next('tenant create', { replace: { DIRECTORY_ID: directoryId } }), 'id');
  await page.next('collector create', {
    replace: { TENANT_ID: tenantId, APPLICATION_ID: clientId, '--secret-file': at(server.url) },
  });
  await running.waitForRows(tenantId, 2, 1);
  // As the page names them.
  const sources = [
    'security_alerts/defender',
    'security_alerts/defender-incidents',
    'logs/AuditLogs',
    'logs/SignInLogs',
  ];
  await waitForImports(tenantId, [...sources, 'users/entra', 'groups/entra', 'devices/entra', 'apps/entra']);
  const seen = await page.next('collector list', { replace: { TENANT_ID: tenantId } });
  for (const source of [...sources, 'users/entra']) expect(seen).toContain(source);
  expect(await readRows(page, tenantId, running.baseUrl)).toHaveLength(2);
});

test('the commands of the page of Okta return rows, from a token on', async () => {
  await using server = await startOktaServer();
  server.append([oktaEvent(1, Date.now() - 60_000), oktaEvent(2, Date.now() - 30_000)]);
  const page = await running.open('okta.md');
  await page.next('read -rs TOKEN', { input: `${server.token}\n` });
  // The collecting process of this file runs.
  page.skip('apps/collect/src/main.ts');
  const tenantId = readField(await page.next('tenant create'), 'id');
  await page.next('collector create', { replace: { TENANT_ID: tenantId, 'https://example.okta.com': server.url } });
  await running.waitForRows(tenantId, 2);
  await waitForImports(tenantId, ['logs/SystemLog']);
  const seen = await page.next('collector list', { replace: { TENANT_ID: tenantId } });
  expect(seen).toContain('logs/SystemLog');
  expect(await readRows(page, tenantId, running.baseUrl)).toHaveLength(2);
});
