import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { evidenceSectionKeys, grantableScopes } from '@tenantscope/contract';
import { generateSigningKey, parseJwks, verifyPack } from '@tenantscope/proof';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../cli/command-line.ts';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { type ApiClient, type ApiResponse, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

const path = '/evidence/agents';
const dayMs = 86_400_000;
const agents = 2_050;
/** The public key of RFC 8037, appendix A.6. */
const recipient = '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08';

let product: ControlledInstallation;
let tenantId: string;
let key: { id: string; secret: string };
let caller: ApiClient;

beforeAll(async () => {
  product = await startControlledInstallation({ TENANTSCOPE_SIGNING_KEY: await generateSigningKey() });
  tenantId = await product.createTenant();
  key = await keyOf(tenantId);
  caller = createApiClient(product.baseUrl, key.secret);
  await fill(tenantId);
});
afterAll(() => product[Symbol.asyncDispose]());

const keyOf = async (tenant: string) =>
  product.admin.keys.create({
    name: 'auditor',
    scopes: [...grantableScopes],
    owner: { tenantId: tenant },
    expiresAt: null,
  });

const time = (ms: number) => new Date(ms).toISOString();

/** Agents as ingestion leaves them. */
async function fill(tenant: string): Promise<void> {
  const values = [tenant, time(product.throughMs() - dayMs), agents];
  await product.superuser.query(
    `insert into models.entity_agent (tenant_id, id, version, digest, updated_at, first_seen_at, is_deleted, document, detail)
     select $1, 'agent-' || n, 1, '', $2, $2, false, '{}', '{}' from generate_series(1, $3) n`,
    values,
  );
  await product.superuser.query(
    `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
     select $1, 'agent', 'agent-' || n, false, $2, jsonb_build_object('displayName', 'Agent ' || n, 'creatorName', 'Maker Person') from generate_series(1, $3) n`,
    values,
  );
}

const pack = async (parameters: Readonly<Record<string, string>> = {}): Promise<ApiResponse> => {
  const called = await caller.get(path, parameters);
  expect(called.status, called.text).toBe(200);
  return called;
};

test('the response is only the signed pack and verifies with the public keys', async () => {
  const { text, body, headers } = await pack();
  expect(Object.keys(body)).toEqual(['data']);
  expect(headers.get('x-tenant-id')).toBe(tenantId);
  expect(body.data.sections.map((section: { key: string }) => section.key)).toEqual(evidenceSectionKeys);
  expect(body.data.metadata.generatedBy).toBe(`auditor (key ${key.id})`);
  expect(body.data.integrity.keysUrl).toBe(`${product.baseUrl}/evidence/jwks.json`);
  const keys = parseJwks(await (await fetch(body.data.integrity.keysUrl)).text());
  expect(await verifyPack(Buffer.from(text), keys)).toMatchObject({ sound: true, signature: 'valid' });
});

test('the public keys are served without authentication, parameters or private members', async () => {
  const anybody = createApiClient(product.baseUrl, null);
  const { status, body } = await anybody.get('/evidence/jwks.json');
  expect(status).toBe(200);
  expect(body).toEqual({
    keys: [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: expect.any(String), x: expect.any(String) }],
  });
  expect((await anybody.get('/evidence/jwks.json', { a: 'b' })).code).toBe('INVALID_PARAMETER');
  expect((await fetch(`${product.baseUrl}/evidence/jwks.json`, { method: 'POST' })).status).toBe(405);
});

test('the default period is the 183 days before the completeness time', async () => {
  const { metadata } = (await pack({ sections: 'remediation' })).body.data;
  expect(metadata.coveredTo).toBe(time(product.throughMs()));
  expect(metadata.coveredFrom).toBe(time(product.throughMs() - 183 * dayMs));
});

test('bounds are applied unchanged, and an incomplete end is moved to the completeness time', async () => {
  const sections = 'remediation';
  const parameters = { from: '2026-10-01T00:00:00Z', to: '2026-10-31T12:00:00Z', sections };
  const { metadata } = (await pack(parameters)).body.data;
  expect(metadata).toMatchObject({ coveredFrom: '2026-10-01T00:00:00.000Z', coveredTo: '2026-10-31T12:00:00.000Z' });
  expect(metadata.query).toEqual({
    from: '2026-10-01T00:00:00.000Z',
    to: '2026-10-31T12:00:00.000Z',
    framework: null,
    sections: ['remediation'],
    section: null,
    pseudonymise: false,
  });
  const to = time(product.throughMs() + dayMs);
  expect((await pack({ to, sections })).body.data.metadata.coveredTo).toBe(time(product.throughMs()));
  expect((await pack({ to: '0000-01-01', sections })).body.data.metadata.coveredTo).toBe('0001-01-01T00:00:00.000Z');
});

test('a framework is accepted by key or alias and returned as the key', async () => {
  const { metadata, sections } = (await pack({ framework: 'ai_act', sections: 'inventory,remediation' })).body.data;
  expect(metadata.query.framework).toBe('eu_ai_act');
  expect(sections.map((section: { key: string }) => section.key)).toEqual(['inventory', 'remediation']);
});

test.each([
  ['an end before the beginning', { from: '2026-10-02', to: '2026-10-01' }, 'from'],
  ['a beginning in the future', { from: '2099-01-01' }, 'from'],
  ['an invalid time', { from: 'yesterday' }, 'from'],
  ['an unknown framework', { framework: 'sideways' }, 'framework'],
  ['two frameworks', { framework: 'dora,nis2' }, 'framework'],
  ['an unknown section among known ones', { sections: 'inventory,nonsense' }, 'sections'],
  ['an unknown section', { section: 'nonsense' }, 'section'],
  ['one section and several', { section: 'inventory', sections: 'permissions' }, 'section'],
  ['an unknown parameter', { limit: '5' }, 'limit'],
  ['a recipient without pseudonyms', { pseudonymise: 'false', recipientKey: recipient }, 'recipientKey'],
  ['a recipient key of another length', { pseudonymise: 'true', recipientKey: 'abc' }, 'recipientKey'],
  ['a recipient key of low order', { pseudonymise: 'true', recipientKey: 'A'.repeat(43) }, 'recipientKey'],
  ['pseudonyms that are neither on nor off', { pseudonymise: 'maybe' }, 'pseudonymise'],
])('%s is rejected with the allowed values', async (_, parameters, named) => {
  const { status, code, body } = await caller.get(path, parameters as unknown as Record<string, string>);
  expect([status, code]).toEqual([400, 'INVALID_PARAMETER']);
  const [detail] = body.error.details;
  expect(detail.parameter).toBe(named);
  if (named === 'framework') expect(detail.allowed).toContain('dora');
  if (named.startsWith('section')) expect(detail.allowed).toEqual(evidenceSectionKeys);
});

test('a truncated section continues by its cursor with its own signature and the same period and data time', async () => {
  const parameters = { sections: 'inventory', to: time(product.throughMs()) };
  const first = (await pack({ ...parameters, framework: 'dora' })).body.data;
  const [section] = first.sections;
  expect(section).toMatchObject({ rowCount: 2_000, totalRowCount: agents, truncated: true });
  await product.settle(product.throughMs() + 1_000);
  // A later pack has the same cursor, since the section digest covers it.
  expect((await pack({ ...parameters, framework: 'dora' })).body.data.sections).toEqual(first.sections);

  const alone = await pack({ cursor: section.nextCursor });
  const rest = alone.body.data;
  expect(rest.sections).toHaveLength(1);
  expect(rest.sections[0]).toMatchObject({
    key: 'inventory',
    rowCount: agents - 2_000,
    totalRowCount: agents - 2_000,
    truncated: false,
    nextCursor: null,
    frameworks: section.frameworks,
  });
  expect(rest.metadata).toMatchObject({
    coveredFrom: first.metadata.coveredFrom,
    coveredTo: first.metadata.coveredTo,
    query: { framework: 'dora', sections: null, section: 'inventory' },
  });
  const names = [...section.rows, ...rest.sections[0].rows].map(({ name }: { name: string }) => name);
  expect(new Set(names).size).toBe(agents);
  expect(names).toEqual(names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))));
  expect(await verifyPack(Buffer.from(alone.text), null)).toMatchObject({ sound: true });

  const conflicting = { cursor: section.nextCursor, section: 'inventory', from: '2020-01-01', framework: 'hipaa' };
  expect((await pack(conflicting)).body.data.sections).toEqual(rest.sections);
});

test('a continued section names the sources whose records were stored since its first part', async () => {
  const other = await product.createTenant();
  await fill(other);
  const client = createApiClient(product.baseUrl, (await keyOf(other)).secret);
  const storeRecord = async (source: string, id: string, name: string) => {
    const stamp = time(product.throughMs() + 500);
    await product.superuser.query(
      `update models.entity_fact set updated_at = $3, facts = facts || jsonb_build_object('displayName', $4::text) where tenant_id = $1 and id = $2`,
      [other, id, stamp, name],
    );
    await product.superuser.query(
      `insert into models.source_progress (tenant_id, source, cluster_id, topic_id, partition, last_discovered_at, row_count)
       values ($1, $2, 'test', gen_random_uuid(), 0, $3, 1)`,
      [other, source, stamp],
    );
    await product.settle(product.throughMs() + 1_000);
  };
  const [{ rows, nextCursor }] = (await client.get(path, { sections: 'inventory' })).body.data.sections;
  const read = async () => {
    const { sections, metadata } = (await client.get(path, { cursor: nextCursor })).body.data;
    const [changes] = metadata.limitations.filter(({ en }: { en: string }) => en.includes('first part'));
    return [sections[0].rowCount, changes?.en.split(/: |\. /)[1] ?? null];
  };
  expect(await read()).toEqual([agents - 2_000, null]);
  // Rows of the log that were stored since are left out.
  await storeRecord('logs', 'no entity', '');
  expect(await read()).toEqual([agents - 2_000, null]);
  // The last row moves in front of the first part, which has ended.
  expect(rows[0].name).toBe('Agent 1');
  await storeRecord('agents', 'agent-999', 'Agent 0');
  expect(await read()).toEqual([agents - 2_001, 'agents']);
  await storeRecord('users', 'no entity', '');
  expect(await read()).toEqual([agents - 2_001, 'agents, users']);
});

test('a summary has the counts, digests and cursors of the pack and no rows, and its cursor continues as a summary', async () => {
  const parameters = { sections: 'inventory,permissions', to: time(product.throughMs()) };
  const whole = (await pack(parameters)).body.data;
  const summary = (await pack({ ...parameters, view: 'summary' })).body.data;
  expect(Object.keys(summary)).toEqual(Object.keys(whole));
  const { text } = await pack({ ...parameters, view: 'summary' });
  expect(await verifyPack(Buffer.from(text), null)).toMatchObject({
    sound: false,
    faults: [{ reason: expect.stringContaining('a summary cannot be verified') }],
  });
  const [inventory, permissions] = summary.sections;
  expect(inventory).toEqual({ ...whole.sections[0], rows: [], nextCursor: expect.any(String) });
  expect(permissions).toEqual({ ...whole.sections[1], rows: [] });
  const digests = ({ integrity }: { integrity: { manifest: { path: string; sha256: string }[] } }) =>
    integrity.manifest.filter(({ path }) => path !== 'sections.inventory' && path !== 'metadata');
  expect(digests(summary)).toEqual(digests(whole));
  const rest = (await pack({ cursor: inventory.nextCursor })).body.data;
  expect(rest.sections).toMatchObject([{ key: 'inventory', rowCount: agents - 2_000, rows: [], nextCursor: null }]);
});

test('a cursor of another section, tenant or endpoint is rejected', async () => {
  const { nextCursor } = (await pack({ sections: 'inventory' })).body.data.sections[0];
  const refused = async (who: ApiClient, parameters: Record<string, string>) => (await who.get(path, parameters)).code;
  expect(await refused(caller, { cursor: nextCursor, section: 'permissions' })).toBe('INVALID_CURSOR');
  const altered = `${nextCursor.slice(0, -20)}${nextCursor.at(-20) === 'A' ? 'B' : 'A'}${nextCursor.slice(-19)}`;
  expect(await refused(caller, { cursor: altered })).toBe('INVALID_CURSOR');
  expect((await caller.get('/agents', { cursor: nextCursor })).code).toBe('INVALID_CURSOR');
  const list = (await caller.get('/logs', { sort: 'discoveredAtAsc' })).body.pagination.resumeCursor;
  expect(await refused(caller, { cursor: list })).toBe('INVALID_CURSOR');
  const stranger = createApiClient(product.baseUrl, (await keyOf(await product.createTenant())).secret);
  expect(await refused(stranger, { cursor: nextCursor })).toBe('INVALID_CURSOR');
});

test('a tenant sees no data of another tenant', async () => {
  const stranger = createApiClient(product.baseUrl, (await keyOf(await product.createTenant())).secret);
  const { sections } = (await stranger.get(path)).body.data;
  const windowSections = sections.filter(({ basis }: { basis: string }) => basis === 'window');
  expect(windowSections.length).toBeGreaterThan(0);
  expect(windowSections.every(isEmpty)).toBe(true);
  expect(sections.find(({ key: name }: { key: string }) => name === 'inventory')).toMatchObject({
    rowCount: 0,
    asOf: null,
  });
});

/** Above the limit of a statement of other documents, and of a connection for pages. */
const slowSectionMs = 9_000;

const isEmpty = ({ rowCount }: { rowCount: number }) => rowCount === 0;

test('two concurrent packs of one key are both created', async () => {
  const both = await Promise.all([pack({ sections: 'inventory' }), pack({ sections: 'inventory' })]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
});

test('a client disconnect cancels the database queries and frees its place for the next request', async () => {
  await using blocking = await connected();
  await blocking.client.query('begin; lock table models.entity_fact in access exclusive mode');
  const running = async () => {
    const { rows } = await blocking.client.query(
      `select from pg_stat_activity where datname = current_database() and usename <> current_user and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  const pending = request(`${product.baseUrl}${path}`, { headers: { Authorization: `Bearer ${key.secret}` } });
  pending.on('error', () => {});
  pending.end();
  await eventually('the pack waits for the table', 5_000, async () => (await running()) > 0);
  pending.destroy();
  await eventually('no query waits', 3_000, async () => (await running()) === 0);
  await blocking.client.query('rollback');
  await pack({ sections: 'inventory' });
});

test('a pack whose section takes longer than other documents may take is created', async () => {
  await using blocking = await connected();
  await blocking.client.query('begin; lock table models.entity_fact in access exclusive mode');
  const created = pack({ sections: 'inventory' });
  await sleep(slowSectionMs);
  await blocking.client.query('rollback');
  expect((await created).status).toBe(200);
});

test('the MCP tool returns a pack that verifies from its text result', async () => {
  const agent = createMcpClient(product.baseUrl, key.secret);
  const result = await agent.call('get_agent_evidence_pack', { sections: 'inventory' });
  expect(await verifyPack(Buffer.from(result.content[0]?.text ?? ''), null)).toMatchObject({
    sound: true,
    signature: 'unchecked',
  });
});

test('the CLI verifies the saved response offline', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pack-'));
  const { text } = await pack({ sections: 'remediation' });
  const [file, keys, altered] = ['pack.json', 'keys.json', 'altered.json'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(file, text);
  await writeFile(altered, text.replace('A tenant', 'B tenant'));
  await writeFile(keys, await (await fetch(`${product.baseUrl}/evidence/jwks.json`)).text());
  const sound = await run(['verify', file, '--keys', keys]);
  expect([sound.status, sound.stdout]).toEqual([
    0,
    expect.stringContaining('the signature is valid for one of the given keys'),
  ]);
  const unchecked = await run(['verify', '-'], { input: text });
  expect(unchecked).toEqual({
    status: 3,
    stdout: expect.stringContaining('digests match, signature not checked'),
    stderr: 'tenantscope: signature not checked: pass the public keys with --keys\n',
  });
  const refused = await run(['verify', altered, '--keys', keys, '--json']);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toBe('tenantscope: metadata: differs from its digest in the manifest\n');
  expect(JSON.parse(refused.stdout)).toMatchObject({ sound: false, faults: [{ member: 'metadata' }] });
  expect(await run(['verify', join(directory, 'none.json')])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no such file'),
  });
  expect(await run(['verify', file, '--keys', file])).toMatchObject({ status: 1 });
  await rm(directory, { recursive: true });
});

async function connected() {
  const client = new pg.Client({ connectionString: product.database.superuser });
  client.on('error', () => {});
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

test('a continued section has the pseudonyms and the recipient of its pack, and its cursor does not show a name', async () => {
  // A recipient implies pseudonyms.
  const parameters = { sections: 'inventory', recipientKey: recipient };
  const first = await pack(parameters);
  const [inventory, keySection] = first.body.data.sections;
  expect(keySection).toMatchObject({ key: 'pseudonym_key', rows: [{ recipientKey: recipient, pseudonymCount: 1 }] });
  const rest = await pack({ cursor: inventory.nextCursor });
  expect(rest.body.data.metadata.query.pseudonymise).toBe(true);
  expect(rest.body.data.sections.map(({ key }: { key: string }) => key)).toEqual(['inventory', 'pseudonym_key']);
  const [maker] = inventory.rows.map(({ creator }: { creator: { name: string } }) => creator.name);
  expect(maker).toMatch(/^person-/);
  expect(
    new Set(rest.body.data.sections[0].rows.map((row: { creator: { name: string } }) => row.creator.name)),
  ).toEqual(new Set([maker]));
  expect(Buffer.from(inventory.nextCursor, 'base64url').toString('latin1')).not.toContain('inventory');
  for (const { text } of [first, rest]) expect(text).not.toContain('Maker Person');
  expect((await pack(parameters)).body.data.sections[0].rows[0].creator.name).not.toBe(maker);
});

test('pseudonyms cannot be requested for the next rows of a pack with names, nor for another recipient', async () => {
  const [named] = (await pack({ sections: 'inventory' })).body.data.sections;
  const [pseudonymised] = (await pack({ sections: 'inventory', pseudonymise: 'true' })).body.data.sections;
  const refuse = async (cursor: string, parameters: Readonly<Record<string, string>>, parameter: string) => {
    const { code, body } = await caller.get(path, { cursor, ...parameters });
    expect([code, body.error.details[0].parameter]).toEqual(['INVALID_PARAMETER', parameter]);
  };
  await refuse(named.nextCursor, { pseudonymise: 'true' }, 'pseudonymise');
  await refuse(named.nextCursor, { recipientKey: recipient }, 'recipientKey');
  await refuse(pseudonymised.nextCursor, { recipientKey: recipient }, 'recipientKey');
  const rest = await pack({ cursor: pseudonymised.nextCursor, pseudonymise: 'true' });
  expect(rest.body.data.metadata.query.pseudonymise).toBe(true);
});
