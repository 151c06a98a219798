import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  bindableFormats,
  createBoundEnvelope,
  type Message,
  type Outcome,
  type RecordOutcome,
  readActivity,
  readRecords,
} from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { context, tenantId } from './message.ts';

const folder = new URL('../../../docs/', import.meta.url);
const pages = ['sources', 'operations'].flatMap((directory) =>
  readdirSync(new URL(directory, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${directory}/${name}`),
);

interface Binding {
  readonly format: string;
  readonly tenant: string | null;
  readonly tenantPath: string | null;
}

/** A binding that a page creates, and the values that it shows behind the command. */
interface DocumentedBinding extends Binding {
  readonly page: string;
  readonly command: string;
  readonly values: readonly string[];
}

const blocks = /^```(sh|json)\n([\s\S]*?)^```$/gm;
const commandName = 'tenantscope source create ';

function listBindings(page: string): DocumentedBinding[] {
  const found: (DocumentedBinding & { values: string[] })[] = [];
  for (const [, language, text = ''] of readFileSync(new URL(page, folder), 'utf8').matchAll(blocks)) {
    if (language === 'json') found.at(-1)?.values.push(text);
    else
      for (const line of text.split('\n').filter((one) => one.startsWith(commandName)))
        found.push({ page, command: line, values: [], ...parseBinding(line.slice(commandName.length)) });
  }
  return found;
}

function parseBinding(options: string): Binding {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: options.split(' '),
    options: { topic: text, format: text, tenant: text, 'tenant-from': text, cluster: text },
  });
  return { format: values.format ?? '', tenant: values.tenant ?? null, tenantPath: values['tenant-from'] ?? null };
}

function readBound({ format, tenant, tenantPath }: Binding, value: string): readonly (Outcome | RecordOutcome)[] {
  const envelope = createBoundEnvelope({ format, tenantId: tenant === null ? null : tenantId, tenantPath }, null);
  if (envelope === null) throw new Error(`${format} is no format`);
  const message: Message = { key: null, value: Buffer.from(value), headers: Object.fromEntries(envelope.headers) };
  const reading = { ...context, findProviderTenant: () => tenantId };
  return envelope.topic === 'activity' ? readActivity(message, reading) : readRecords(envelope.topic, message, reading);
}

const bindings = pages.flatMap(listBindings);

test('the pages of sources show bindings and values of each kind', () => {
  const shown = bindings.filter(({ values }) => values.length > 0).map(({ page, format }) => `${page} ${format}`);
  expect(shown.toSorted()).toEqual([
    'sources/defender-streaming.md m365d.advanced-hunting',
    'sources/event-hooks.md okta.system-log',
    'sources/event-hooks.md okta.system-log',
    'sources/google-alert-center.md google.alertcenter.alert',
    'sources/kafka-connect.md okta.system-log',
    'sources/rsyslog.md okta.system-log',
  ]);
});

describe.each(bindings)('$page: $command', (binding) => {
  test('names a format and a tenant', () => {
    expect(bindableFormats).toContain(binding.format);
    expect([binding.tenant, binding.tenantPath].filter((one) => one !== null)).toHaveLength(1);
  });

  test.each(binding.values)('reads the value of the page (%#)', (value) => {
    const outcomes = readBound(binding, value);
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.filter(({ kind }) => kind === 'rejected')).toEqual([]);
  });
});

test('the event of EventBridge and that of the event hook are one row', () => {
  const [first, second] = bindings
    .filter(({ page }) => page === 'sources/event-hooks.md')
    .map((binding) => readBound(binding, JSON.stringify(JSON.parse(binding.values[0] ?? ''))));
  expect(first).toEqual(second);
  expect(first).toHaveLength(1);
});

test('rows of Defender streaming become log rows, and that of an alert a security alert too', () => {
  const binding = bindings.find(({ page }) => page === 'sources/defender-streaming.md') as DocumentedBinding;
  const kinds = (given: Binding) => readBound(given, binding.values[0] ?? '').map(({ kind }) => kind);
  expect(kinds(binding)).toEqual(['log', 'log', 'state']);
});

test('a notification of the Alert Center is read with its attributes too', () => {
  const binding = bindings.find(({ page }) => page === 'sources/google-alert-center.md') as DocumentedBinding;
  const [value = ''] = binding.values;
  const attributes = { alertcenter_resource_type: 'ALERT', alertcenter_resource_status: 'CREATED' };
  const payload = { ...attributes, message: Buffer.from(value).toString('base64') };
  const schema = { type: 'struct', fields: [{ type: 'bytes', optional: false, field: 'message' }], optional: false };
  expect(readBound(binding, JSON.stringify({ schema, payload }))).toEqual(readBound(binding, value));
});
