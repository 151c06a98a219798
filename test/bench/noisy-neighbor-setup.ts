import { grantableScopes, topicName, topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import pg from 'pg';
import { eventually } from '../installation/eventually.ts';
import { type BenchDatabase, type BenchInstallation, runStatement } from './installation.ts';
import { insertLargeTenant } from './large-tenant.ts';
import { noisyNeighborLoad } from './noisy-neighbor-report.ts';
import { type BenchTenant, createTenants, generateMessages } from './workload.ts';

const { noisyKeys, noisyLogs } = noisyNeighborLoad;
const recordsPerTenant = 2_000;

export interface Setup {
  readonly database: BenchDatabase;
  readonly port: number;
  readonly noisy: BenchTenant;
  readonly neighbors: readonly BenchTenant[];
  /** Of the last neighbor, which polls and receives nothing: the lane of undecodable batches. */
  readonly poisonedPartition: number;
  readonly noisySecrets: readonly string[];
  readonly neighborSecrets: readonly string[];
  /** Of a neighbor whose records are on the noisy tenant's partition, and of one whose are not. */
  readonly followerSecrets: readonly (readonly string[])[];
}

/** Creates the noisy tenant with its history, its neighbors, and their keys. */
export async function createSetup(
  installation: BenchInstallation,
  database: BenchDatabase,
  port: number,
): Promise<Setup> {
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  const { partitions } = topics.activity;
  const tenants = await createTenants(admin, { partitions, perPartition: 2, organizationId: null });
  const [noisy] = tenants;
  const sameLane = tenants.find((tenant) => tenant !== noisy && tenant.partition === noisy?.partition);
  if (!noisy || !sameLane) throw new Error('no two tenants of a partition were created');
  const otherLanes = tenants.filter(({ partition }, index) => {
    const isFirst = tenants.findIndex((other) => other.partition === partition) === index;
    return isFirst && partition !== noisy.partition;
  });
  const neighbors = [sameLane, ...otherLanes];
  const createSecrets = async (tenantId: string, count: number, scopes: readonly string[]) => {
    const key = { name: 'bench', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
    const secrets: string[] = [];
    for (let number = 0; number < count; number++) secrets.push((await admin.keys.create(key)).secret);
    return secrets;
  };
  await publishRecords(installation, database, [noisy, ...neighbors]);
  const client = new pg.Client({ connectionString: database.superuser });
  await client.connect();
  const size = { logs: noisyLogs, files: noisyLogs / 10, users: noisyLogs / 100 };
  await insertLargeTenant(client, { tenantId: noisy.id, ...size });
  await client.end();
  return {
    database,
    port,
    noisy,
    neighbors,
    poisonedPartition: (neighbors.at(-1) as BenchTenant).partition,
    noisySecrets: await createSecrets(noisy.id, noisyKeys, grantableScopes),
    neighborSecrets: (await Promise.all(neighbors.map(({ id }) => createSecrets(id, 1, ['logs:read'])))).flat(),
    followerSecrets: await Promise.all(neighbors.slice(0, 2).map(({ id }) => createSecrets(id, 3, ['logs:read']))),
  };
}

async function publishRecords(
  { services }: BenchInstallation,
  database: BenchDatabase,
  tenants: readonly BenchTenant[],
): Promise<void> {
  const count = tenants.length * recordsPerTenant;
  await using publisher = await connectPublisher({ brokers: services.kafka, clientId: 'bench' });
  await publisher.publish(topicName(database.topicPrefix, topics.activity), generateMessages(tenants, count));
  await eventually('the rows are written', 120_000, async () => {
    const [row] = await runStatement(database.superuser, 'select count(*)::integer as count from models.audit_log');
    return Number(row?.count) >= count;
  });
}
