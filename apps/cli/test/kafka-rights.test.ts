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

test('rights follow the topic prefix', () => {
  for (const { name } of listKafkaRights('other')) expect(name).toMatch(/^other\./);
});
