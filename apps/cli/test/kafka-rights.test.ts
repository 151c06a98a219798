import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formatRight, listKafkaRights } from '../src/commands/installation/kafka-rights.ts';

test('the rights of the processes are those of the documentation', async () => {
  const page = await readFile(new URL('../../../docs/operations/kafka-acls.md', import.meta.url), 'utf8');
  const documented = page.split('\n').filter((line) => line.startsWith('kafka-acls.sh --add'));
  // Those of collectors and of single topics depend on the installation.
  const own = documented.filter((line) => !/User:(collector-|tenantscope-publisher)/.test(line));
  expect(listKafkaRights('tenantscope').map(formatRight)).toEqual(own);
});

test('the rights of the canary and of bound topics are added on request, as the pages of both have them', async () => {
  const lines = listKafkaRights('tenantscope', { canary: true, boundTopic: ['okta.raw', 'other'] }).map(formatRight);
  const added = lines.slice(listKafkaRights('tenantscope').length);
  expect(added).toEqual([
    'kafka-acls.sh --add --allow-principal User:tenantscope-jobs --operation Write --topic tenantscope.raw.activity.v1',
    'kafka-acls.sh --add --allow-principal User:tenantscope-ingest --operation Read --topic okta.raw',
    'kafka-acls.sh --add --allow-principal User:tenantscope-operator --operation Describe --operation DescribeConfigs --topic okta.raw',
    'kafka-acls.sh --add --allow-principal User:tenantscope-ingest --operation Read --topic other',
    'kafka-acls.sh --add --allow-principal User:tenantscope-operator --operation Describe --operation DescribeConfigs --topic other',
  ]);
  const page = await readFile(new URL('../../../docs/operations/source-bindings.md', import.meta.url), 'utf8');
  for (const line of added.slice(1, 3)) expect(page).toContain(line);
});

test('rights follow the topic prefix', () => {
  for (const { name } of listKafkaRights('other')) expect(name).toMatch(/^other\./);
});
