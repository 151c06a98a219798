import { getAgentEvidencePack, getComplianceStatus, getCopilotReadiness, grantableScopes } from '@tenantscope/contract';
import { connectAdmin } from '@tenantscope/store/admin';
import pg from 'pg';
import { insertGrantedAgents } from '../evidence/granted-agents.ts';
import { startProcess } from '../installation/processes.ts';
import { startApi } from './api-process.ts';
import type { BenchInstallation } from './installation.ts';
import { insertLargeTenant } from './large-tenant.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';

export interface DocumentsOptions {
  /** Rows of the log; files, users and the rest are in proportion. */
  readonly rows: number;
  readonly repetitions: number;
}

interface DocumentCase {
  readonly name: string;
  readonly secret: string;
  readonly path: string;
  /** A statement that reads every relevant row once: the lower bound. */
  readonly onePass: string;
  readonly tenantId: string;
}

const agents = 2_000;
const grants = 200_000;
const dayMs = 86_400_000;

/** Measures documents that aggregate all data of a tenant, relative to a single pass over the same rows. */
export async function benchDocuments(
  installation: BenchInstallation,
  { rows, repetitions }: DocumentsOptions,
  log: (line: string) => void,
): Promise<Section> {
  const database = await installation.migrated();
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  const organization = await admin.organizations.create({ name: 'Bench' });
  const tenant = async (name: string) => {
    const { id } = await admin.tenants.create({ name, organizationId: organization.id, azureTenantId: null });
    const key = { name, scopes: [...grantableScopes], owner: { tenantId: id }, expiresAt: null };
    return { tenantId: id, secret: (await admin.keys.create(key)).secret };
  };
  const [busy, granted] = [await tenant('busy'), await tenant('granted')];
  const client = new pg.Client({ connectionString: database.superuser });
  client.on('error', () => {});
  await client.connect();
  const size = { logs: rows, files: Math.ceil(rows / 10), users: Math.ceil(rows / 100) };
  log(`documents: creating ${rows} rows of the log and ${grants} grants`);
  await insertLargeTenant(client, { tenantId: busy.tenantId, ...size });
  await insertGrantedAgents(client, { tenantId: granted.tenantId, agents, grants, atMs: Date.now() - dayMs });

  const environment = installation.environment(database);
  await using _ingest = await startProcess('ingest', environment);
  await using api = await startApi(environment);
  const baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
  const pack = `${getAgentEvidencePack.path}?from=${new Date(Date.now() - 183 * dayMs).toISOString()}`;
  const logPass = `select count(occurred_at) from models.audit_log where tenant_id = $1 and discovered_at >= now() - interval '90 days'`;
  const evidencePass = 'select count(document) from models.agent_evidence where tenant_id = $1';
  const documents: readonly DocumentCase[] = [
    { name: 'compliance status', ...busy, path: getComplianceStatus.path, onePass: logPass },
    { name: 'assistant readiness', ...busy, path: getCopilotReadiness.path, onePass: logPass },
    { name: 'evidence pack, busy tenant', ...busy, path: pack, onePass: logPass },
    { name: `evidence pack, ${grants} grants`, ...granted, path: pack, onePass: evidencePass },
  ];

  const fetchDocument = async ({ secret, path }: DocumentCase): Promise<{ ms: number; bytes: number }> => {
    const begunMs = performance.now();
    const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${secret}` } });
    const body = await response.arrayBuffer();
    if (response.status !== 200)
      throw new Error(`${path}: ${response.status} ${Buffer.from(body).toString().slice(0, 300)}`);
    return { ms: performance.now() - begunMs, bytes: body.byteLength };
  };
  const timeOnePass = async ({ onePass, tenantId }: DocumentCase): Promise<number> => {
    const begunMs = performance.now();
    await client.query(onePass, [tenantId]);
    return performance.now() - begunMs;
  };
  log('documents: warming up');
  for (const document of documents) await fetchDocument(document);
  const found = documents.map((document) => ({ document, ms: [] as number[], ratios: [] as number[], bytes: 0 }));
  for (let round = 0; round < repetitions; round += 1)
    for (const one of found) {
      const passMs = await timeOnePass(one.document);
      const { ms, bytes } = await fetchDocument(one.document);
      Object.assign(one, { bytes, ms: [...one.ms, ms], ratios: [...one.ratios, ms / passMs] });
      log(`documents, round ${round + 1}: ${one.document.name}: ${Math.round(ms)} ms, a pass ${Math.round(passMs)} ms`);
    }
  await client.end();
  return {
    title: 'Documents',
    description: `One client sends requests to one api process. One tenant has ${size.logs} log rows of three months, ${size.files} files and ${size.users} users; another has ${agents} agents and ${grants} grants. The ratio is relative to one statement that reads the rows of 90 days, or all the grants, once: the median of the ratios within a round.`,
    columns: ['', 's', 'max s', 'kB', 'ratio to one pass'],
    rows: found.map(({ document, ms, ratios, bytes }) => [
      document.name,
      inSeconds(median(ms)),
      inSeconds(Math.max(...ms)),
      Math.round(bytes / 1_000),
      Math.round(median(ratios) * 10) / 10,
    ]),
  };
}

const inSeconds = (ms: number): number => Math.round(ms / 10) / 100;
