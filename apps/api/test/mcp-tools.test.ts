import { listLogs, type Operation, operations, parseInput, requiredScopes, scopes } from '@tenantscope/contract';
import { describe, expect, test } from 'vitest';
import { readToolParameters } from '../src/mcp/tool-arguments.ts';
import { listToolExamples, serializeToolList, type Tool, toTool } from '../src/mcp/tool-list.ts';
import { searchOver } from './mcp-search.ts';

const every: readonly Operation[] = operations;
const all = JSON.parse(serializeToolList(new Set(scopes))) as Tool[];

describe('the tool list', () => {
  test('contains every operation once, in the order of the documentation', () => {
    expect(all.map(({ name }) => name)).toEqual(every.map(({ name }) => name));
    expect(all).toEqual(every.map(toTool));
  });

  test('contains exactly the tools that the scopes allow', () => {
    for (const scope of scopes) {
      const shown = (JSON.parse(serializeToolList(new Set([scope]))) as Tool[]).map(({ name }) => name);
      const expected = every.filter((operation) => requiredScopes(operation).every((required) => required === scope));
      expect(shown).toEqual(expected.map(({ name }) => name));
    }
    expect(JSON.parse(serializeToolList(new Set())).map(({ name }: Tool) => name)).toEqual([
      'ping',
      'list_tenants',
      'list_feeds',
    ]);
  });

  // Agents pay for the list on each connection, and some hosts omit tools that are too long.
  test('stays within its size limits', () => {
    expect(serializeToolList(new Set(scopes)).length).toBeLessThan(62_000);
    for (const tool of all) expect(JSON.stringify(tool).length, tool.name).toBeLessThanOrEqual(4_200);
    for (const scope of scopes) expect(serializeToolList(new Set([scope])).length, scope).toBeLessThan(20_000);
    const ofFeeds = scopes.slice(0, scopes.indexOf('evidence:read'));
    expect(serializeToolList(new Set(ofFeeds)).length).toBeLessThan(20_000);
  });
});

describe.each(every.map((operation) => [operation.name, operation] as const))('%s', (_, operation) => {
  const tool = toTool(operation);

  test('uses only schema features that every client supports', () => {
    expect(tool.name).toMatch(/^[a-z_]{1,64}$/);
    expect(tool.annotations).toEqual({ readOnlyHint: true, openWorldHint: operation.containsUntrustedText });
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(operation.toolDescription.length).toBeLessThanOrEqual(400);
    const { describedBy } = operation;
    if (describedBy) {
      expect(operation.toolDescription).toContain(describedBy.name);
      expect(requiredScopes(operation)).toEqual(requiredScopes(describedBy));
    }
    for (const [name, argument] of Object.entries(tool.inputSchema.properties)) {
      const isDescribed = describedBy !== undefined && describedBy.parameters[name] === operation.parameters[name];
      if (!isDescribed) expect(Object.keys(argument).toSorted(), name).toEqual(['description', 'type']);
      expect(['string', 'integer', 'boolean']).toContain(argument.type);
    }
  });

  test('describes the allowed values of each list argument with a valid example', () => {
    if (operation.kind !== 'list') return;
    for (const [name, { description = '' }] of Object.entries(tool.inputSchema.properties)) {
      if (name === 'id') continue;
      const [, allowed, example] = /Allowed: (.+); e\.g\. (.+)$/.exec(description) ?? [];
      expect(allowed, description).toBeTruthy();
      expect(() => parseInput(operation, [[name, example ?? '']], 'an id'), description).not.toThrow();
      const parameter = operation.parameters[name];
      if (parameter?.kind === 'choices' || parameter?.kind === 'sort')
        expect(allowed?.split(', ')).toEqual(parameter.allowed);
    }
  });

  test('ends with valid example calls', () => {
    const [, tail] = tool.description.split('\nExamples:\n');
    const lines = tail?.split('\n') ?? [];
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.map((line) => JSON.parse(/^- [^{]+: (\{.*\})$/.exec(line)?.[1] ?? 'null'))).toEqual(
      listToolExamples(operation).map((example) => example.arguments),
    );
    for (const { arguments: given } of listToolExamples(operation)) {
      const parameters = readToolParameters(operation, given);
      expect(() => parseInput(operation, parameters, 'an id')).not.toThrow();
    }
  });
});

test('the end of a window shows the date after that of its start, and what a date means', () => {
  const { discoveredFrom, discoveredTo } = toTool(listLogs).inputSchema.properties;
  expect(discoveredFrom?.description).toBe('Earliest discoveredAt. Allowed: ISO 8601; e.g. 2026-11-01');
  expect(discoveredTo?.description).toBe(
    'Latest discoveredAt; a date is its 00:00. Allowed: ISO 8601; e.g. 2026-11-02',
  );
});

/** What people ask, and the tool to begin with. */
const tasks: readonly (readonly [string, string])[] = [
  ['who downloaded the file payroll.xlsx yesterday', 'list_logs'],
  ['failed sign-ins from this IP address', 'list_logs'],
  ['show mailbox rule changes', 'list_logs'],
  ['count events per hour', 'get_log_summary'],
  ['top actors by number of events', 'get_log_summary'],
  ['what did this user do last night', 'list_logs'],
  ['events on unmanaged devices', 'list_logs'],
  ['any anomalies this week', 'list_detections'],
  ['unusual volume of downloads', 'list_detections'],
  ['open detections of high severity', 'list_detections'],
  ['show me detection det_123', 'get_detection'],
  ['defender alerts about malware', 'list_security_alerts'],
  ['new security alerts since monday', 'list_security_alerts'],
  ['original raw data of this vendor alert', 'get_security_alert'],
  ['was anybody notified about this', 'list_notifications'],
  ['why was the notification suppressed', 'list_notifications'],
  ['which remediation actions failed', 'list_actions'],
  ['was the sharing link removed', 'list_actions'],
  ['policy check results for oversharing', 'list_policy_scans'],
  ['automations of this policy check', 'get_policy_scan'],
  ['administrators without MFA', 'list_users'],
  ['guest accounts that are dormant', 'list_users'],
  ['which groups and roles does this person have', 'get_user'],
  ['AI agents without an owner', 'list_agents'],
  ['what data can this agent reach', 'get_agent'],
  ['documents shared with anyone', 'list_files'],
  ['who can open this file and its sharing links', 'get_file'],
  ['teams without owners', 'list_groups'],
  ['members of this group', 'get_group'],
  ['sites with external sharing', 'list_sites'],
  ['third-party OAuth apps with tenant-wide permissions', 'list_apps'],
  ['when do the secrets of this application expire', 'get_app'],
  ['non-compliant laptops and phones', 'list_devices'],
  ['phishing emails in quarantine', 'list_emails'],
  ['how many Copilot seats are unused', 'list_licenses'],
  ['where are credit card numbers stored', 'list_sensitive_info_types'],
  ['which tenants can I read', 'list_tenants'],
  ['check that my API key works and its scopes', 'ping'],
];

test('a search with the terms of a task finds its tool among the first three', () => {
  const search = searchOver(
    all.map(({ name, title, description, inputSchema }) => ({
      name,
      text: [name, title, description, ...Object.keys(inputSchema.properties)].join(' '),
    })),
  );
  const missed = tasks.filter(([phrase, tool]) => !search(phrase).slice(0, 3).includes(tool));
  expect(tasks).toHaveLength(38);
  expect(
    missed.length,
    missed.map(([phrase, tool]) => `${tool}: ${phrase} → ${search(phrase).slice(0, 3)}`).join('\n'),
  ).toBeLessThanOrEqual(2);
});
