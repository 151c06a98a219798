import { findExampleId, type Operation, operations, scopes } from '@tenantscope/contract';
import { demoHistory, demoRecords, demoTenants, publishDemo } from '@tenantscope/demo';
import { inject } from 'vitest';
import { createApiClient } from './api-client.ts';
import { eventually } from './eventually.ts';
import { type Installation, startInstallation } from './installation.ts';

/** An installation with the data of a demo company, in which every operation returns something. */
export interface DemoCompany extends AsyncDisposable {
  readonly installation: Installation;
  readonly baseUrl: string;
  /** A key of all scopes. */
  readonly key: string;
  /** An existing id for the path of an operation; undefined for operations without one. */
  findId(operation: Operation): Promise<string | undefined>;
}

export async function startDemoCompany(): Promise<DemoCompany> {
  await using started = new AsyncDisposableStack();
  const installation = started.use(await startInstallation());
  await installation.startIngest();
  const { baseUrl } = await installation.startApi();
  const [company] = demoTenants;
  if (!company) throw new Error('missing demo company');
  const { name, azureTenantId } = company;
  const connectedAt = new Date('2026-10-01T00:00:00Z'); // before the periods of the prompts
  const { id } = await installation.admin.tenants.create({ name, azureTenantId, organizationId: null, connectedAt });
  const key = { name: 'agent', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  const { secret } = await installation.admin.keys.create(key);
  const endMs = Date.now();
  const to = {
    kafka: { brokers: inject('services').kafka },
    topicPrefix: installation.environment.TENANTSCOPE_TOPIC_PREFIX ?? '',
  };
  const records = [...demoHistory({ tenant: company, endMs, count: 300 }), ...demoRecords({ tenant: company, endMs })];
  await publishDemo({ ...to, tenantId: id, records });
  await installation.startJobs();
  await installation.cli('snapshot', 'take', '--tenant', id);

  const client = createApiClient(baseUrl, secret);
  // The id of a log event depends on the tenant and the time of the event, so that its example matches none.
  const findId = async (operation: Operation) =>
    operation.name === 'get_log'
      ? ((await client.get('/logs', { limit: '1' })).body.data[0]?.id ?? 'missing')
      : findExampleId(operation);
  for (const operation of operations as readonly Operation[])
    await eventually(`${operation.name} responds`, 20_000, async () => {
      if (operation.kind === 'document') return true;
      const path = operation.path.replace('{id}', encodeURIComponent((await findId(operation)) ?? ''));
      const { status, body } = await client.get(path, operation.kind === 'list' ? { limit: '1' } : {});
      // Few events are published: an episode may have none.
      return status === 200 && (operation.name === 'list_detection_logs' || body.data.length !== 0);
    });
  const all = started.move();
  return { installation, baseUrl, key: secret, findId, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
