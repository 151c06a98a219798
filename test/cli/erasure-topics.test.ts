import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerTopic, topicName } from '@tenantscope/contract';
import { generateSigningKey, parseSigningKey } from '@tenantscope/proof';
import kafkajs from 'kafkajs';
import { expect, inject, test } from 'vitest';
import { createTopics } from '../installation/create-topics.ts';
import { onServer } from '../services/template.ts';
import { type CommandLine, createCommandLine, kafka } from './command-line.ts';

const dayMs = 86_400_000;
const partner = {
  TENANTSCOPE_KAFKA_CLUSTERS: 'partner',
  TENANTSCOPE_KAFKA_CLUSTER_PARTNER_BROKERS: inject('services').kafka,
};

/** Creates a topic that retains records for so many days. */
async function createTopic(topic: string, days: number): Promise<string> {
  const admin = kafka().admin();
  await admin.connect();
  try {
    const configEntries = [{ name: 'retention.ms', value: String(days * dayMs) }];
    await createTopics(admin, [{ topic, numPartitions: 1, configEntries }]);
  } finally {
    await admin.disconnect();
  }
  return topic;
}

/** The retention of the ledger is unlimited by default, and of a topic without limit the certificate has no end. */
async function limitLedger({ topic }: CommandLine): Promise<void> {
  const name = topicName(topic.split('.')[0] as string, ledgerTopic);
  const configEntries = [{ name: 'retention.ms', value: String(30 * dayMs) }];
  const admin = kafka().admin();
  await admin.connect();
  try {
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name, configEntries }],
    });
  } finally {
    await admin.disconnect();
  }
}

/** Binds a topic, and removes the binding. */
async function bindOnce(line: CommandLine, topic: string, of: readonly string[], cluster = 'main'): Promise<void> {
  const how = { environment: { ...line.environment, ...partner } };
  const options = ['--topic', topic, '--cluster', cluster];
  for (const args of [
    ['source', 'create', ...options, '--format', 'okta.system-log', ...of],
    ['source', 'remove', ...options],
  ])
    expect(await line.with(how, ...args)).toMatchObject({ status: 0 });
}

async function closeTenant(line: CommandLine, id: string): Promise<void> {
  await line.json('tenant', 'offboard', '--tenant', id, '--close');
  await onServer(line.superuser, (client) =>
    client.query(`update control.tenant set closed_at = now() - interval '3 minutes' where id = $1`, [id]),
  );
}

interface Written {
  readonly certificate: {
    readonly finishedAt: string;
    readonly kafka: { readonly until: string | null; readonly topics: readonly Readonly<Record<string, unknown>>[] };
  };
}

/** Erases the tenant, verifies the certificate, and returns it with what the command showed. */
async function erase(line: CommandLine, id: string, name: string, environment: Readonly<Record<string, string>> = {}) {
  const [keyFile, keys, file] = ['key', 'keys.json', name].map((one) => join(line.directory, one)) as [
    string,
    string,
    string,
  ];
  const key = await generateSigningKey();
  await writeFile(keyFile, key);
  await writeFile(keys, JSON.stringify({ keys: [(await parseSigningKey(key)).public] }));
  const { status, stdout, stderr } = await line.with(
    { environment: { ...line.environment, ...environment } },
    ...['tenant', 'offboard', '--tenant', id, '--erase', '--certificate', file],
    ...['--signing-key', keyFile, '--backup-days', '1'],
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(await line.json('tenant', 'verify-erasure', file, '--keys', keys)).toMatchObject({ valid: true });
  const { certificate } = JSON.parse(await readFile(file, 'utf8')) as Written;
  return { certificate, stdout };
}

const addDays = (at: string, days: number) => new Date(Date.parse(at) + days * dayMs).toISOString();

test('the certificate of an erasure covers bound topics of the tenant whose bindings were removed', async () => {
  await using line = await createCommandLine({ topics: true });
  await limitLedger(line);
  const [leaving, staying] = await Promise.all(
    ['A', 'B'].map(async (name) => String((await line.json('tenant', 'create', '--name', name)).id)),
  );
  const prefix = line.topic.split('.')[0];
  const own = await createTopic(`${prefix}-own`, 4_000);
  const shared = await createTopic(`${prefix}-shared`, 365);
  const foreign = await createTopic(`${prefix}-foreign`, 9_000);
  await bindOnce(line, own, ['--tenant', leaving as string]);
  await bindOnce(line, shared, ['--tenant-from', 'tenantId']);
  await bindOnce(line, foreign, ['--tenant', staying as string]);
  await closeTenant(line, leaving as string);
  // Repeated, when the bindings of the tenant are erased too.
  for (const name of ['first.json', 'second.json']) {
    const { certificate } = await erase(line, leaving as string, name);
    const { until, topics } = certificate.kafka;
    const bound = topics.filter(({ topic }) => [own, shared, foreign].includes(String(topic)));
    const facts = { cluster: 'main', isCompacted: false, isUnknown: false };
    expect(bound).toEqual([
      { topic: own, retentionDays: 4_000, ...facts },
      { topic: shared, retentionDays: 365, ...facts },
    ]);
    expect(topics).toContainEqual({ topic: line.topic, retentionDays: expect.any(Number), ...facts });
    expect(until).toBe(addDays(certificate.finishedAt, 4_000));
  }
});

test('the certificate of an erasure names bound topics whose retention is unknown, and no time for Kafka', async () => {
  await using line = await createCommandLine({ topics: true });
  await limitLedger(line);
  const tenant = String((await line.json('tenant', 'create', '--name', 'A')).id);
  const prefix = line.topic.split('.')[0];
  const there = await createTopic(`${prefix}-there`, 4_000);
  await bindOnce(line, there, ['--tenant', tenant], 'partner');
  await closeTenant(line, tenant);
  const undeclared = await erase(line, tenant, 'undeclared.json');
  expect(undeclared.certificate.kafka).toMatchObject({
    until: null,
    topics: expect.arrayContaining([
      { cluster: 'partner', topic: there, retentionDays: null, isCompacted: false, isUnknown: true },
    ]),
  });
  expect(undeclared.stdout).toMatch(new RegExp(`retention unknown.*${there}`));
  const { certificate, stdout } = await erase(line, tenant, 'declared.json', partner);
  expect(certificate.kafka.until).toBe(addDays(certificate.finishedAt, 4_000));
  expect(stdout).not.toContain('retention unknown');

  await bindOnce(line, `${prefix}-nowhere`, ['--tenant-from', 'tenantId']);
  const missing = await erase(line, tenant, 'missing.json', partner);
  expect(missing.certificate.kafka.until).toBeNull();
  expect(missing.stdout).toMatch(new RegExp(`retention unknown.*${prefix}-nowhere`));
});
