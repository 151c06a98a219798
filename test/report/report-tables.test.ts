import { reportTemplates } from '@tenantscope/compliance';
import type { Report } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { render, toMs } from './tenants.ts';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts?.[Symbol.asyncDispose]());

async function renderRecords(id: string, records: readonly input.InputRecord[]): Promise<Report> {
  const template = reportTemplates.find((one) => one.id === id);
  if (!template) throw new Error(`missing template ${id}`);
  const tenantId = newTenantId();
  await facts.ingest(tenantId, toMs, records);
  return render(facts, tenantId, template, 'en');
}

/** A table as rows by column label. */
function readTable({ sections }: Report, key: string): Record<string, unknown>[] {
  const section = sections.find((one) => one.key === key);
  if (section?.kind !== 'table') throw new Error(`${key} is no table`);
  const { columns, rows } = section.content;
  return rows.map((row) => Object.fromEntries(columns.map(({ label }, index) => [label, row[index]])));
}

test('tables of articles of several laws name the law of each article', async () => {
  const report = await renderRecords('ai-act-deployer', []);
  for (const key of ['duties', 'coverage']) {
    const rows = readTable(report, key);
    const polish = 'Polish Act on Artificial Intelligence Systems (KRiBSI act)';
    expect([...new Set(rows.map((row) => row.Law))], key).toEqual(['EU AI Act', polish, 'KRiBSI']);
    expect(rows.find((row) => row.Article === 'Art. 73')?.Law, key).toBe('EU AI Act');
    expect(rows.filter((row) => row.Law === polish).length, key).toBe(1);
    expect(rows.find((row) => row.Article === 'Art. 70(6), Art. 84, Art. 107')?.Law, key).toBe('KRiBSI');
  }
});

test('a table of articles of one law does not repeat its name', async () => {
  const report = await renderRecords('ksc-audit-preparation', []);
  expect(Object.keys(readTable(report, 'coverage')[0] ?? {})).not.toContain('Law');
});

test('an assessment of the inventories counts the agents that only the log names', async () => {
  const agents = [input.agent('sales', {}), events.interaction('ada', toMs - input.dayMs, { agentId: 'sales' })];
  const only = events.interaction('ada', toMs - input.dayMs, { agentId: 'unlisted' });
  const countUnlisted = ({ limitations }: Report) =>
    limitations.filter((text) => text.includes('only the activity log'));
  expect(countUnlisted(await renderRecords('fria-prefill', agents))).toEqual([]);
  expect(countUnlisted(await renderRecords('fria-prefill', [...agents, only]))).toEqual([
    expect.stringContaining('are not on this page: 1.'),
  ]);
});

test('pages that count the first 2,000 agents name the limit and the number of agents', async () => {
  const tenantId = newTenantId();
  const agents = Array.from({ length: 2_001 }, (_, index) => input.agent(`agent-${index}`, {}));
  await facts.ingest(tenantId, toMs, agents);
  for (const id of ['executive-summary', 'ai-agent-governance', 'ai-act-deployer', 'fria-prefill']) {
    const template = reportTemplates.find((one) => one.id === id);
    if (!template) throw new Error(`missing template ${id}`);
    const english = await render(facts, tenantId, template, 'en');
    expect(english.limitations.join(), id).toContain('the first 2,000 of 2,001');
    const truncated = english.sections.filter((one) => one.kind === 'table' && one.content.truncated);
    const expected = { 'ai-agent-governance': ['accountability', 'permissions'], 'ai-act-deployer': ['high_risk'] }[id];
    expect(truncated.map(({ key }) => key)).toEqual(expect.arrayContaining(expected ?? []));
  }
  const polish = reportTemplates.find(({ id }) => id === 'ai-agent-governance');
  if (polish)
    expect((await render(facts, tenantId, polish, 'pl')).limitations.join()).toMatch(/pierwszych 2.?000 z 2.?001/);
});

test('missing elements of an assessment are those of all systems, not only of the listed ones', async () => {
  const systems = Array.from({ length: 50 }, (_, index) =>
    input.agent(`listed-${index}`, { displayName: `Listed ${index}`, ownerId: 'ada', ownerSource: 'nativeOwner' }),
  );
  const unlisted = Array.from({ length: 25 }, (_, index) =>
    input.agent(`other-${index}`, { displayName: `Other ${index}` }),
  );
  const report = await renderRecords('fria-prefill', [
    input.user('ada'),
    ...systems,
    ...unlisted,
    ...unlisted.map((_, index) => input.riskClass('agent', `other-${index}`, 'minimal')),
  ]);
  const missing = report.sections.find(({ key }) => key === 'missing');
  const items = missing?.kind === 'list' ? missing.content : [];
  expect(items.find((one) => one.includes('(e) accountable person'))).toMatch(/: Other 0, .* and others: 5$/);
  expect(items.find((one) => one.includes('(d) specific risks'))).toMatch(/: every system$/);
});

test('a restriction shows the share of files under protecting labels, not under any label', async () => {
  const labelled = { sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }], sensitivityLabelId: 'public' };
  const report = await renderRecords('data-exposure', [
    input.sensitiveInfoType('iban', { name: 'IBAN' }),
    input.file('plain', { ...labelled, isProtected: false }),
    input.file('protected', { ...labelled, isProtected: true }),
    input.restriction('r1', 'iban', 'noAiAccess', toMs - 20 * input.dayMs),
  ]);
  expect(readTable(report, 'restrictions')).toMatchObject([{ 'With a protecting label': 50 }]);
});

test('the exposure report counts the accounts that are exempt from a restriction', async () => {
  const restrict = (id: string, level: 'monitored' | 'noAccess', exemptIds: readonly string[]) =>
    input.restriction(id, id, level, toMs - 20 * input.dayMs, { exemptIds });
  const list = async (...records: input.InputRecord[]) =>
    (await renderRecords('data-exposure', records)).limitations.filter((text) => text.includes('exempt'));
  expect(await list(restrict('r1', 'noAccess', []), restrict('r2', 'monitored', ['cid']))).toEqual([]);
  expect(await list(restrict('r1', 'noAccess', ['ada', 'ben']), restrict('r2', 'noAccess', ['ben']))).toEqual([
    'Accounts that are exempt from a restriction "No access": 2. Their reads do not count as violations; the evidence pack lists them with each restriction.',
  ]);
});

test('findings about a user under several names count as one user with one name', async () => {
  const principalName = 'ben@contoso.example';
  const evidence = (userAccount: object) => ({
    '@odata.type': '#microsoft.graph.security.userEvidence',
    userAccount,
  });
  const report = await renderRecords('soc-monthly', [
    input.user('ben', { displayName: 'Ben Adams', userPrincipalName: principalName }),
    events.alert('a1', toMs - input.dayMs, null, [evidence({ azureAdUserId: 'ben' })]),
    events.alert('a2', toMs - input.dayMs, null, [evidence({ userPrincipalName: 'Ben@contoso.example' })]),
    events.alert('a3', toMs - input.dayMs, null, [evidence({ userPrincipalName: 'guest@elsewhere.example' })]),
  ]);
  expect(readTable(report, 'top_entities').map((row) => [row.Name, row.Alerts])).toEqual([
    ['Ben Adams', 2],
    ['guest@elsewhere.example', 1],
  ]);
});

test('findings about an app under several ids count as one app with one name', async () => {
  const app = (appId: string, objectId: string | null) => ({
    '@odata.type': '#microsoft.graph.security.oauthApplicationEvidence',
    ...{ appId, objectId, displayName: 'Crm' },
  });
  const report = await renderRecords('soc-monthly', [
    input.app('crm', { displayName: 'CRM connector', appId: 'client' }),
    events.alert('a1', toMs - input.dayMs, null, [app('client', 'crm')]),
    events.alert('a2', toMs - input.dayMs, null, [app('CLIENT', null)]),
    events.episode('d1', toMs - input.dayMs, null, { entity: { type: 'app', id: 'Crm', name: 'crm' } }),
  ]);
  expect(readTable(report, 'top_entities').map((row) => [row.Name, row.Alerts, row.Detections])).toEqual([
    ['CRM connector', 2, 1],
  ]);
});

test('lines of a change of instructions whose texts are not reported are unknown', async () => {
  const report = await renderRecords('ai-agent-governance', [
    input.agent('sales'),
    input.instructionChange('change', 'sales', toMs - input.dayMs),
  ]);
  expect(readTable(report, 'instruction_changes')).toMatchObject([{ 'Lines added': null, 'Lines removed': null }]);
});

test('the quality of a source is that of the collectors that report its parts', async () => {
  const gap = { from: input.at(toMs - 5 * input.dayMs), to: input.at(toMs - 4 * input.dayMs), reason: 'outage' };
  const earlier = {
    from: input.at(toMs - 120 * input.dayMs),
    to: input.at(toMs - 100 * input.dayMs),
    reason: 'outage',
  };
  const active = { enabled: true, licensed: null };
  const report = await renderRecords('soc-monthly', [
    events.appUse('crm', 'ada', toMs - input.hourMs),
    input.sourceStatus('logs/Audit.Exchange', toMs - input.hourMs, { ...active, gaps: [gap] }),
    input.sourceStatus('logs/SignInLogs', toMs - input.hourMs, active),
    input.user('ada'),
    input.sourceStatus('users/entra', toMs - input.hourMs, active),
    input.sourceStatus('users/okta', toMs - 90 * input.dayMs, { enabled: false }),
    input.sourceStatus('files', toMs - input.hourMs, { ...active, gaps: [earlier] }),
    input.device('laptop'),
    input.sourceStatus('devices/entra', toMs - 9 * input.dayMs, active),
  ]);
  const rows = readTable(report, 'data_quality').map((row) => [row.Source, row.Coverage, row['Gaps in the period']]);
  expect(rows).toEqual(
    expect.arrayContaining([
      ['Activity log', 'gaps', 1],
      ['Users', 'complete', 0],
      ['Files', 'complete', 0],
      ['Devices', 'stale', 0],
      ['Apps', 'missing', null],
    ]),
  );
});

test('the unused apps of a report are those that the requirement counts', async () => {
  const clientId = '00000000-0000-4000-8000-000000000007';
  const unused = { createdAt: input.at(toMs - 400 * input.dayMs), lastSignInAt: input.at(toMs - 200 * input.dayMs) };
  const report = await renderRecords('third-party-apps', [
    ...['apps', 'logs/SignInLogs'].map((source) => input.sourceStatus(source, toMs - input.hourMs)),
    input.app('old', unused),
    input.app('never', { createdAt: unused.createdAt, lastSignInAt: null }),
    input.app('new', { createdAt: input.at(toMs - input.dayMs), lastSignInAt: null }),
    input.app('logged', { ...unused, appId: clientId }),
    events.appUse(clientId, 'ada', toMs - 2 * input.dayMs),
  ]);
  expect(readTable(report, 'unused').map((row) => [row.App, row['Last used (– : never seen)']])).toEqual([
    ['App never', null],
    ['App old', unused.lastSignInAt],
  ]);
});

test('unused apps are unknown where the requirement about them is not evaluated', async () => {
  const report = await renderRecords('third-party-apps', [input.app('old', { lastSignInAt: null })]);
  const section = report.sections.find(({ key }) => key === 'unused');
  expect(section).toMatchObject({ kind: 'text', content: expect.stringMatching(/^Unknown: the apps/) });
});

test('the page for a KSC audit names the end of the adaptation period', async () => {
  const { limitations } = await renderRecords('ksc-audit-preparation', []);
  expect(limitations.filter((text) => text.includes('3 April 2027') && text.includes('3 April 2028'))).toHaveLength(1);
});
