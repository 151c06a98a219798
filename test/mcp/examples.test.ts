import { type Operation, operations, scopes } from '@tenantscope/contract';
import { demoHistory, demoRecords, demoTenants, publishDemo } from '@tenantscope/demo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { type Product, product } from '../product/product.ts';
import { type Agent, agentOf } from './agent.ts';

// What descriptions and prompts tell agents to call is called here, on the data of a demo company.

const every: readonly Operation[] = operations;

let running: Product;
let agent: Agent;

beforeAll(async () => {
  running = await product();
  await running.startIngest();
  const { baseUrl } = await running.startApi({ TENANTSCOPE_DRAIN_MS: '0' });
  const [company] = demoTenants;
  if (!company) throw new Error('there is no demo company');
  const { name, azureTenantId } = company;
  const { id } = await running.admin.tenants.create({ name, azureTenantId, organizationId: null });
  const key = { name: 'agent', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  agent = agentOf(baseUrl, (await running.admin.keys.create(key)).secret);
  const endMs = Date.now();
  const to = { brokers: inject('services').kafka, topicPrefix: running.environment.TENANTSCOPE_TOPIC_PREFIX ?? '' };
  const records = [...demoHistory({ tenant: company, endMs, count: 300 }), ...demoRecords({ tenant: company, endMs })];
  await publishDemo({ ...to, tenantId: id, records });
  await running.startJobs();
  await running.cli('snapshot', 'take', '--tenant', id);
  for (const operation of every)
    await eventually(`${operation.name} answers`, 20_000, async () => {
      if (operation.kind === 'document') return true;
      const given = operation.kind === 'get' ? { id: operation.exampleId } : { limit: 1 };
      const { isError, structuredContent } = await agent.call(operation.name, given);
      return !isError && structuredContent.data.length !== 0;
    });
}, 120_000);
afterAll(() => running[Symbol.asyncDispose](), 60_000);

const objects = (text: string): Record<string, unknown>[] =>
  [...text.matchAll(/\{[^{}]*\}/g)].map(([found]) => JSON.parse(found));

test('worked examples of every tool run', async () => {
  const tools = await agent.tools();
  expect(tools.map(({ name }) => name)).toEqual(every.map(({ name }) => name));
  let filled = 0;
  for (const { name, description } of tools) {
    const examples = objects(description.split('\nExamples:')[1]);
    expect(examples.length, name).toBeGreaterThan(0);
    for (const given of examples) {
      const { isError, content, structuredContent } = await agent.call(name, given);
      expect(isError ?? false, `${name}: ${content[0]?.text.slice(0, 300)}`).toBe(false);
      if (structuredContent.data.length !== 0) filled += 1;
    }
  }
  // Most find something: who follows them sees what answers look like.
  expect(filled).toBeGreaterThan(tools.length * 0.6);
});

test('what prompts say to call is taken as they say it', async () => {
  const { prompts } = (await agent.ask('prompts/list')).body.result;
  const idOf = async (list: string) => (await agent.call(list, { limit: 1 })).structuredContent.data[0].id;
  const given: Record<string, string> = {
    detectionId: await idOf('list_detections'),
    fileId: await idOf('list_files'),
    agentId: await idOf('list_agents'),
    userId: await idOf('list_users'),
    from: '2026-11-01',
    to: '2026-11-20',
    since: '2026-11-19T00:00:00Z',
  };
  let called = 0;
  for (const { name, arguments: asked } of prompts) {
    const values = Object.fromEntries(asked.map(({ name }: { name: string }) => [name, given[name]]));
    const { body } = await agent.ask('prompts/get', { name, arguments: values });
    for (const [, tool = '', words = ''] of body.result.messages[0].content.text.matchAll(/^\d+\. (\w+): (.*)$/gm))
      for (const one of objects(words)) {
        const { isError, content } = await agent.call(tool, one);
        expect(isError ?? false, `${name}, ${tool}: ${content[0]?.text.slice(0, 300)}`).toBe(false);
        called += 1;
      }
  }
  expect(called).toBeGreaterThan(15);
});
