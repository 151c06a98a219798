import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '@tenantscope/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { run } from '../cli/command-line.ts';
import {
  type InitializedFiles,
  initDocumentedCell,
  initializeFiles,
  readBlock,
  readDocumentedSecrets,
} from './installation-secrets.ts';
import { chart, type KubernetesObject, type Specification } from './rendered-chart.ts';
import { findSchemaErrors } from './schema-validation.ts';

// What the pages and examples of the chart claim, without Helm.

let files: InitializedFiles;
beforeAll(async () => {
  files = await initializeFiles();
});
afterAll(() => files?.[Symbol.asyncDispose]());

interface Values {
  readonly files: Readonly<Record<string, { secret: string; key?: string }>>;
}

test('the commands of the page create exactly the keys that default values read', async () => {
  const values = parse(await readFile(join(chart, 'values.yaml'), 'utf8')) as Values & Record<string, Values>;
  const sections = [values, ...Object.values(values).filter((value) => value?.files)];
  const read = sections.flatMap((section) =>
    Object.entries(section.files).map(([variable, { secret, key }]) => {
      const preset = variable.endsWith('_SSL_CA_FILE') ? 'ca.crt' : variable.replace(/_FILE$/, '');
      return `${secret} ${key ?? preset}`;
    }),
  );
  const documented = await readDocumentedSecrets();
  const created = [...documented].flatMap(([secret, keys]) => [...keys.keys()].map((key) => `${secret} ${key}`));
  expect(created.sort()).toEqual(read.sort());
});

test('init writes every file that the commands of the page read', async () => {
  for (const keys of (await readDocumentedSecrets()).values())
    for (const file of keys.values()) expect(await files.read(file), file).not.toBe('');
  for (const file of ['redis/redis.conf', 'secrets/redis.pem', 'secrets/redis.key', 'secrets/ca.pem'])
    expect(await files.read(file), file).not.toBe('');
});

test('the commands of the page for a cell create the keys that its values read, of files that cell init writes', async () => {
  const { cells } = parse(await readBlock('yaml cell-values')) as { cells: Record<string, Record<string, Values>> };
  const read = Object.values(cells.eu1 ?? {}).flatMap(({ files: given = {} }) =>
    Object.entries(given).map(([variable, { secret }]) => `${secret} ${variable.replace(/_FILE$/, '')}`),
  );
  const documented = await readDocumentedSecrets('cell-secrets');
  const created = [...documented].flatMap(([secret, keys]) => [...keys.keys()].map((key) => `${secret} ${key}`));
  expect(created.sort()).toEqual(read.sort());
  const { database } = cells.eu1 as unknown as { database: string };
  await initDocumentedCell(files);
  for (const keys of documented.values())
    for (const file of keys.values()) expect(new URL(await files.read(file)).host, file).toBe(database.split('/')[0]);
});

test('the users of the Strimzi example have the rights that kafka-acls lists', async () => {
  const { stdout } = await run(['kafka-acls', '--json']);
  const listed = JSON.parse(stdout).rights.map(
    ({ principal, operations, resource, name, isPrefix = false, isDenied = false }: Specification) =>
      `${principal} ${isDenied ? 'deny' : 'allow'} ${operations} ${resource} ${name} ${isPrefix ? 'prefix' : 'literal'}`,
  );
  const text = await readFile(join(chart, 'examples', 'strimzi.yaml'), 'utf8');
  const users = parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject)
    .filter(({ kind }) => kind === 'KafkaUser');
  const granted = users.flatMap(({ metadata, spec }) =>
    spec.authorization.acls.map(
      ({ type = 'allow', resource, operations }: Specification) =>
        `${metadata.name} ${type} ${operations} ${resource.type} ${resource.name} ${resource.patternType}`,
    ),
  );
  expect(granted.sort()).toEqual(listed.sort());
});

test('the schemas of Kubernetes accept its own objects in the examples, strictly', {
  tags: ['torture'],
  timeout: 400_000,
}, async (context) => {
  const examples = ['redis', 'cloudnative-pg'];
  const texts = await Promise.all(examples.map((name) => readFile(join(chart, 'examples', `${name}.yaml`), 'utf8')));
  const objects = texts.flatMap((text) =>
    parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as KubernetesObject),
  );
  expect(objects.length).toBe(6);
  const errors = await findSchemaErrors(objects);
  if ('missing' in errors) return context.skip(errors.missing);
  expect(errors.found).toEqual([]);
});

test('the chart has the version of the product', async () => {
  const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const declared = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8'));
  expect([declared.version, declared.appVersion]).toEqual([version, version]);
});
