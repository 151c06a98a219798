import { randomUUID } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient, type McpClient } from '../mcp/mcp-client.ts';

let installation: Installation;
let inspector: DatabaseInspector;
let baseUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = await openDatabaseInspector(installation.database.superuser);
  await installation.startIngest();
  ({ baseUrl } = await installation.startApi());
});
afterAll(async () => {
  await inspector?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

async function reader(
  scopes = ['logs:read'],
  existingTenantId?: string,
): Promise<{ tenantId: string; caller: ApiClient; agent: McpClient }> {
  const tenantId = existingTenantId ?? (await installation.createTenant()).id;
  const owner = { tenantId };
  const { secret } = await installation.admin.keys.create({ name: 'reader', scopes, owner, expiresAt: null });
  return { tenantId, caller: createApiClient(baseUrl, secret), agent: createMcpClient(baseUrl, secret) };
}

const publish = (tenantId: string, records: readonly unknown[], format?: string) =>
  installation.publisher.publish(
    installation.activityTopic,
    records.map((record) => activityMessage(tenantId, record, format)),
  );

const waitForRows = (tenantId: string, count: number) =>
  eventually(`${count} rows`, 20_000, async () => (await inspector.rowCount(tenantId)) >= count);

/** Rows in the order of their external ids. */
async function stored(tenantId: string): Promise<{ id: string; document: Record<string, unknown> }[]> {
  const key = ({ document }: { document: Record<string, unknown> }) => String(document.externalEventId);
  return (await inspector.rows(tenantId)).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The text of rawData in a response, and the response without it. */
function splitResponse(text: string): { row: unknown; raw: string } {
  const at = text.indexOf(',"rawData":');
  return { row: JSON.parse(`${text.slice('{"data":'.length, at)}}`), raw: text.slice(at + ',"rawData":'.length, -2) };
}

/** Digits, duplicate names, escapes and invisible characters that change when a parser writes them again. */
const hostile = String.raw`"Weight":9007199254740993,"One":1.0,"Big":1e5,"Twice":1,"Twice":[2,"]}"],"Nul":"\u0000\u001e\ud800\"\\","Tag":"${'\u202e\u200b'}","__proto__":{"a":-0}`;
const hostileRecord = (id: string): string =>
  JSON.stringify(activityRecord(1, { Id: id })).replace(/\}$/, `, ${hostile} }`);

test('a row is returned with the bytes of its record, whatever they contain', async () => {
  const { tenantId, caller } = await reader();
  const texts = ['a', 'b', 'c', 'd'].map(hostileRecord);
  const wrapped = { Identity: 'x', AuditData: texts[3] };
  await publish(tenantId, [texts[0], `[ ${texts[1]} ,\n${texts[2]}]`, wrapped]);
  await waitForRows(tenantId, 4);
  for (const [index, { id, document }] of (await stored(tenantId)).entries()) {
    const response = await caller.get(`/logs/${id}`);
    expect(response.status, response.text).toBe(200);
    const { row, raw } = splitResponse(response.text);
    expect(row).toEqual(document);
    expect(raw).toBe(Buffer.from(texts[index] ?? '').toString());
  }
});

test('the tool get_log returns what the path returns', async () => {
  const { tenantId, caller, agent } = await reader();
  await publish(tenantId, [hostileRecord('a')]);
  await waitForRows(tenantId, 1);
  const [row] = await stored(tenantId);
  const { text } = await caller.get(`/logs/${row?.id}`);
  const called = await agent.request('tools/call', { name: 'get_log', arguments: { id: row?.id } });
  expect(called.body.result.content).toEqual([{ type: 'text', text }]);
  expect(called.text).toContain(`"structuredContent":${text}`);
});

test('an event of Google is returned with its envelope and no other event', async () => {
  const { tenantId, caller } = await reader();
  const event = (name: string) => `{"name":"${name}","parameters":[{"name":"n","intValue":9007199254740993}]}`;
  const envelope = (events: string) =>
    `{"id":{"time":"2026-11-20T08:15:30Z","uniqueQualifier":"-1","applicationName":"drive"},"events":[${events}],"n":1.0}`;
  const names = Array.from({ length: 300 }, (_, number) => `event-${number}`);
  await publish(tenantId, [envelope(names.map(event).join(', '))], 'google.reports.activity');
  await waitForRows(tenantId, 300);
  for (const { id, document } of (await inspector.rows(tenantId)).slice(0, 20)) {
    const { raw } = splitResponse((await caller.get(`/logs/${id}`)).text);
    expect(raw).toBe(envelope(event(String(document.action))));
  }
});

test('a record that arrives again does not change the first one', async () => {
  const { tenantId, caller } = await reader();
  const record = activityRecord(1, { Id: 'a' });
  const first = JSON.stringify(record, null, 1);
  // The first is stored before the second arrives; a third comes with the first in one message.
  await publish(tenantId, [`[${first}, ${JSON.stringify(record)}]`]);
  await waitForRows(tenantId, 1);
  await publish(tenantId, [
    JSON.stringify(record),
    ...Array.from({ length: 9 }, (_, number) => activityRecord(number)),
  ]);
  await waitForRows(tenantId, 10);
  const { id } = (await stored(tenantId)).find(({ document }) => document.externalEventId === 'a') ?? { id: '' };
  expect(splitResponse((await caller.get(`/logs/${id}`)).text).raw).toBe(first);
  const { rows } = await inspector.client.query(
    'select sum(records)::int as records from models.audit_log_raw where tenant_id = $1',
    [tenantId],
  );
  expect(rows).toEqual([{ records: 10 }]);
});

test('a record larger than a block and many small ones are found again', async () => {
  const { tenantId, caller } = await reader();
  const texts = Array.from({ length: 400 }, (_, number) =>
    JSON.stringify(activityRecord(number, { Id: String(number), Text: 'ą'.repeat(number === 7 ? 400_000 : number) })),
  );
  await publish(tenantId, [`[${texts.slice(100).join()}]`, ...texts.slice(0, 100)]);
  await waitForRows(tenantId, 400);
  for (const { id, document } of (await stored(tenantId)).filter((_, index) => index % 7 === 0 || index === 7))
    expect(splitResponse((await caller.get(`/logs/${id}`)).text).raw).toBe(texts[Number(document.externalEventId)]);
});

test('an unknown id and a row of another tenant are the same 404, and the scope is required', async () => {
  const [own, other, unscoped] = [await reader(), await reader(), await reader(['detections:read'])];
  await publish(own.tenantId, [activityRecord(1)]);
  await waitForRows(own.tenantId, 1);
  const [row] = await stored(own.tenantId);
  const withoutRequestId = (text: string) => text.replace(/"requestId":"[^"]+"/, '');
  const foreign = await other.caller.get(`/logs/${row?.id}`);
  expect(foreign.status).toBe(404);
  for (const id of [randomUUID(), 'x', 'ą', row?.id.toUpperCase()]) {
    const unknown = await other.caller.get(`/logs/${encodeURIComponent(id ?? '')}`);
    expect(unknown.status).toBe(404);
    expect(withoutRequestId(unknown.text)).toBe(withoutRequestId(foreign.text));
  }
  const refused = await unscoped.caller.get(`/logs/${row?.id}`);
  expect(refused.body.error.code).toBe('INSUFFICIENT_SCOPE');
});

test('a replayed dead letter has the bytes of the original record as rawData, in a list too', async () => {
  const tenantId = randomUUID();
  const texts = ['a', 'b', 'c'].map(hostileRecord);
  await publish(tenantId, [texts[0], `[ ${texts[1]} ,\n${texts[2]}]`]);
  const waiting = async () => (await inspector.deadLetters()).filter((deadLetter) => deadLetter.tenantId === tenantId);
  await eventually('two dead letters', 20_000, async () => (await waiting()).length === 2);
  await inspector.client.query(
    `insert into control.tenant (id, name, plan, digest) values ($1, 'Late', 'api', sha256($2))`,
    [tenantId, Buffer.from(tenantId)],
  );
  for (const { id } of await waiting()) await installation.cli('dead-letters', 'replay', id);
  await waitForRows(tenantId, 3);
  // A second replay and a delivery by the collector change nothing.
  await publish(tenantId, [`${texts[0]} `]);
  const { caller } = await reader(['logs:read'], tenantId);
  for (const [index, { id }] of (await stored(tenantId)).entries()) {
    const response = await caller.get(`/logs/${id}`);
    expect(splitResponse(response.text).raw, response.text).toBe(texts[index]);
  }
});

test('tenants that send the same events in one batch read their own raw records only', async () => {
  const tenants = [await reader(), await reader(), await reader()];
  const text = (number: number, tenantId: string) =>
    JSON.stringify(activityRecord(number, { Id: `event-${String(number).padStart(3, '0')}`, Comment: tenantId }));
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  await installation.publisher.publish(
    installation.activityTopic,
    numbers.flatMap((number) => tenants.map(({ tenantId }) => activityMessage(tenantId, text(number, tenantId)))),
  );
  for (const { tenantId } of tenants) await waitForRows(tenantId, numbers.length);
  const client = new pg.Client(installation.database.roles.api);
  await client.connect();
  try {
    for (const [index, { tenantId, caller }] of tenants.entries()) {
      const rows = await stored(tenantId);
      const other = tenants[(index + 1) % tenants.length];
      for (const [number, { id }] of [...rows.entries()].filter(([at]) => at % 20 === 0)) {
        expect(splitResponse((await caller.get(`/logs/${id}`)).text).raw).toBe(text(number, tenantId));
        expect((await other?.caller.get(`/logs/${id}`))?.status).toBe(404);
      }
      // A statement without a condition: row-level security leaves the tenant's blocks, each with records of this tenant alone.
      await client.query(`select set_config('tenantscope.tenant', $1, false)`, [tenantId]);
      const blocks = (await client.query<{ content: Buffer }>('select content from models.audit_log_raw')).rows;
      const contents = blocks.map(({ content }) => zstdDecompressSync(content).toString()).join('');
      expect(contents.split(tenantId)).toHaveLength(numbers.length + 1);
      for (const { tenantId: foreign } of tenants) if (foreign !== tenantId) expect(contents).not.toContain(foreign);
    }
  } finally {
    await client.end();
  }
});
