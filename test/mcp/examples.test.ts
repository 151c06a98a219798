import { type Operation, operations } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoCompany, startDemoCompany } from '../installation/demo-company.ts';
import { createMcpClient, type McpClient } from './mcp-client.ts';

// Calls that descriptions and prompts recommend are made here, on the data of a demo company.

const every: readonly Operation[] = operations;

let company: DemoCompany;
let agent: McpClient;

const withExistingId = async (tool: string, given: Record<string, unknown>) => {
  const operation = every.find(({ name }) => name === tool);
  return tool === 'get_log' && operation ? { ...given, id: await company.findId(operation) } : given;
};

beforeAll(async () => {
  company = await startDemoCompany();
  agent = createMcpClient(company.baseUrl, company.key);
});
afterAll(() => company?.[Symbol.asyncDispose]());

const objects = (text: string): Record<string, unknown>[] =>
  [...text.matchAll(/\{[^{}]*\}/g)].map(([found]) => JSON.parse(found));

test('the documented examples of every tool succeed', async () => {
  const tools = await agent.tools();
  expect(tools.map(({ name }) => name)).toEqual(every.map(({ name }) => name));
  let filled = 0;
  for (const { name, description } of tools) {
    const examples = objects(description.split('\nExamples:')[1]);
    expect(examples.length, name).toBeGreaterThan(0);
    for (const given of examples) {
      const { isError, content, structuredContent } = await agent.call(name, await withExistingId(name, given));
      const text = content[0]?.text ?? '';
      expect(isError ?? false, `${name}: ${text.slice(0, 300)}`).toBe(false);
      // A model reads all of it. What has no parameter cannot be narrowed.
      if (Object.keys(given).length > 0) expect(text.length, `${name} ${JSON.stringify(given)}`).toBeLessThan(20_000);
      if (structuredContent.data.length !== 0) filled += 1;
    }
  }
  // Most examples find something, so that readers see typical responses.
  expect(filled).toBeGreaterThan(tools.length * 0.6);
});

test('the calls in prompts are accepted unchanged', async () => {
  const { prompts } = (await agent.request('prompts/list')).body.result;
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
  for (const { name, arguments: prompt } of prompts) {
    const values = Object.fromEntries(prompt.map(({ name }: { name: string }) => [name, given[name]]));
    const { body } = await agent.request('prompts/get', { name, arguments: values });
    for (const [, tool = '', call = ''] of body.result.messages[0].content.text.matchAll(/^\d+\. (\w+): (.*)$/gm))
      for (const one of objects(call)) {
        const { isError, content } = await agent.call(tool, one);
        expect(isError ?? false, `${name}, ${tool}: ${content[0]?.text.slice(0, 300)}`).toBe(false);
        called += 1;
      }
  }
  expect(called).toBeGreaterThan(15);
});
