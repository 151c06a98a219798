// @module-tag torture
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { fetchPackages } from '../npm-packages.ts';
import { connectorFile } from './configuration-files.ts';

// Microsoft's language service for Kusto, with the tables that the template of Sentinel declares.

/** 31 MB. */
const service = '@kusto/language-service-next@12.4.1';

interface Column {
  readonly name: string;
  readonly type: string;
}
type Columns = readonly Column[];

let folder: string;
const tables = new Map<string, Columns>();
const streams = new Map<string, Columns>();
let flows: readonly { streams: readonly string[]; transformKql: string; outputStream: string }[];

beforeAll(async () => {
  const packages = await fetchPackages(`kusto-${service.split('@').at(-1)}`, [service]);
  folder = join(packages, '@kusto', 'language-service-next');
  const { resources } = JSON.parse(await readFile(connectorFile('sentinel', 'template.json'), 'utf8'));
  for (const { type, properties } of resources) {
    if (type.endsWith('/tables')) tables.set(properties.schema.name, properties.schema.columns);
    if (!type.endsWith('/dataCollectionRules')) continue;
    for (const [name, { columns }] of Object.entries<{ columns: Columns }>(properties.streamDeclarations))
      streams.set(name, columns);
    flows = properties.dataFlows;
  }
}, 300_000);

async function analyze(query: string, schema: Readonly<Record<string, Columns>>): Promise<readonly string[]> {
  const described = Object.entries(schema).map(([name, columns]) => [
    name,
    columns.map((column) => `['${column.name}']: ${column.type === 'boolean' ? 'bool' : column.type}`).join(', '),
  ]);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'kusto-analyzer.mjs'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ tables: Object.fromEntries(described), query }));
  return JSON.parse(await text(child.stdout)) as string[];
}

test('the language service finds a column that does not exist and an error of syntax', async () => {
  const source = [{ name: 'action', type: 'string' }];
  expect(await analyze('source | project Action = action', { source })).toEqual([]);
  expect((await analyze('source | project Action = actor', { source })).join()).toContain('actor');
  expect(await analyze('source | project = action', { source })).not.toEqual([]);
});

test('each transformation reads columns of its stream and writes the columns of its table', async () => {
  expect(flows).toHaveLength(2);
  for (const {
    streams: [stream = ''],
    transformKql,
    outputStream,
  } of flows) {
    expect(await analyze(transformKql, { source: streams.get(stream) ?? [] }), stream).toEqual([]);
    const written = [...transformKql.matchAll(/(\w+) = \w+/g)].map(([, name]) => name);
    expect(written).toEqual(tables.get(outputStream.replace('Custom-', ''))?.map(({ name }) => name));
  }
}, 120_000);

test('the ASIM parser reads columns of the table', async () => {
  const parser = await readFile(connectorFile('sentinel', 'asim-audit-event.kql'), 'utf8');
  expect(await analyze(parser, Object.fromEntries(tables))).toEqual([]);
});
