import { scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { readAllRows } from '../installation/all-rows.ts';
import { createApiClient } from '../installation/api-client.ts';
import { entityMessage } from '../installation/entity-messages.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

let installation: Installation;
let baseUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  await installation.startIngest();
  ({ baseUrl } = await installation.startApi());
});
afterAll(() => installation?.[Symbol.asyncDispose]());

async function reader() {
  const { id: tenantId } = await installation.createTenant();
  const key = { name: 'reader', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
  const { secret } = await installation.admin.keys.create(key);
  return { tenantId, caller: createApiClient(baseUrl, secret), mcp: createMcpClient(baseUrl, secret) };
}

test('an agent is served from its first interaction on, and as the agent of the inventory later', async () => {
  const { tenantId, caller, mcp } = await reader();
  const other = await reader();
  const interaction = activityRecord(1, {
    ...{ Operation: 'CopilotInteraction', RecordType: 261, Workload: 'Copilot' },
    ...{ AgentId: 'Bot-7', AgentName: 'Payroll helper', CopilotEventData: { AppHost: 'Teams', ThreadId: 't' } },
  });
  await installation.publisher.publish(installation.activityTopic, [activityMessage(tenantId, interaction)]);
  await eventually('the agent', 20_000, async () => (await caller.get('/agents/bot-7')).status === 200);

  // A bound ahead: the request waits until everything that is returned by id is settled.
  const soon = () => new Date(Date.now() + 50).toISOString();
  const listed = await readAllRows(caller, '/agents', { evidence: 'auditOnly', to: soon() });
  expect(listed).toMatchObject([{ id: 'Bot-7', displayName: 'Payroll helper', evidence: 'auditOnly', ownerId: null }]);
  const { body } = await caller.get('/agents', { sort: 'updatedAtAsc' });
  expect(Date.parse(body.pagination.completeThrough)).toBeGreaterThanOrEqual(Date.parse(listed[0].updatedAt));
  const called = await mcp.request('tools/call', { name: 'list_agents', arguments: { evidence: ['auditOnly'] } });
  expect(JSON.stringify(called)).toContain('Payroll helper');
  expect((await other.caller.get('/agents/Bot-7')).status).toBe(404);
  expect(await readAllRows(other.caller, '/agents', { to: soon() })).toEqual([]);

  const members = { displayName: 'Payroll', kind: 'bot', aliases: { botId: 'BOT-7' } };
  await installation.publisher.publish(`${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics.entity.suffix}`, [
    entityMessage('agent', tenantId, 'payroll', 1, members),
  ]);
  await eventually('the agent of the inventory', 20_000, async () => {
    const { body } = await caller.get('/agents/Bot-7');
    return body.data.id === 'payroll';
  });
  const to = soon();
  const now = await readAllRows(caller, '/agents', { to });
  expect(now.map(({ id, evidence }) => [id, evidence])).toEqual([['payroll', 'reported']]);
  const changes = await readAllRows(caller, '/agents', { to, includeDeleted: 'true', evidence: 'auditOnly' });
  expect(changes).toMatchObject([{ id: 'Bot-7', deletedAt: expect.any(String) }]);
});
