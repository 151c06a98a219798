import { getAgentEvidencePack, getComplianceStatus, getCopilotReadiness, grantableScopes } from '@tenantscope/contract';
import { connectAdmin } from '@tenantscope/store';
import pg from 'pg';
import { makeGrantedAgents } from '../evidence/granted-agents.ts';
import { startProcess } from '../product/processes.ts';
import { startApi } from './api-process.ts';
import type { Installation } from './installation.ts';
import { makeLargeTenant } from './large-tenant.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';

export interface DocumentsOptions {
  /** Of the log; files, users and the rest in proportion. */
  readonly rows: number;
  readonly rounds: number;
}

interface Question {
  readonly name: string;
  readonly secret: string;
  readonly path: string;
  /** What nobody can be faster than who looks at every row of it once. */
  readonly onePass: string;
  readonly tenantId: string;
}

const agents = 2_000;
const grants = 200_000;
const dayMs = 86_400_000;

/** Documents that count everything a tenant has, beside a single pass over the rows they rest on. */
export async function benchDocuments(
  installation: Installation,
  { rows, rounds }: DocumentsOptions,
  say: (line: string) => void,
): Promise<Section> {
  const database = await installation.migrated();
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'bench');
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
  say(`documents: making ${rows} rows of the log and ${grants} grants`);
  await makeLargeTenant(client, { tenantId: busy.tenantId, ...size });
  await makeGrantedAgents(client, { tenantId: granted.tenantId, agents, grants, atMs: Date.now() - dayMs });

  const environment = installation.environment(database);
  await using _ingest = await startProcess('ingest', environment);
  await using api = await startApi(environment);
  const baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
  const pack = `${getAgentEvidencePack.path}?from=${new Date(Date.now() - 183 * dayMs).toISOString()}`;
  const log = `select count(occurred_at) from models.audit_log where tenant_id = $1 and discovered_at >= now() - interval '90 days'`;
  const evidence = 'select count(document) from models.agent_evidence where tenant_id = $1';
  const questions: readonly Question[] = [
    { name: 'compliance status', ...busy, path: getComplianceStatus.path, onePass: log },
    { name: 'readiness for an assistant', ...busy, path: getCopilotReadiness.path, onePass: log },
    { name: 'evidence pack, much happened', ...busy, path: pack, onePass: log },
    { name: `evidence pack, ${grants} grants`, ...granted, path: pack, onePass: evidence },
  ];

  const asked = async ({ secret, path }: Question): Promise<{ ms: number; bytes: number }> => {
    const begunMs = performance.now();
    const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${secret}` } });
    const body = await answer.arrayBuffer();
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${Buffer.from(body).toString().slice(0, 300)}`);
    return { ms: performance.now() - begunMs, bytes: body.byteLength };
  };
  const passed = async ({ onePass, tenantId }: Question): Promise<number> => {
    const begunMs = performance.now();
    await client.query(onePass, [tenantId]);
    return performance.now() - begunMs;
  };
  say('documents: warming up');
  for (const question of questions) await asked(question);
  const found = questions.map((question) => ({ question, ms: [] as number[], ratios: [] as number[], bytes: 0 }));
  for (let round = 0; round < rounds; round += 1)
    for (const one of found) {
      const passMs = await passed(one.question);
      const { ms, bytes } = await asked(one.question);
      Object.assign(one, { bytes, ms: [...one.ms, ms], ratios: [...one.ratios, ms / passMs] });
      say(`documents, round ${round + 1}: ${one.question.name}: ${Math.round(ms)} ms, a pass ${Math.round(passMs)} ms`);
    }
  await client.end();
  return {
    title: 'Documents',
    words: `One caller asks one api process. A tenant with ${size.logs} log rows of three months, ${size.files} files and ${size.users} users; another with ${agents} agents and ${grants} grants. The ratio is that to one statement that looks once at the rows of 90 days, or at all the grants, the middle of those within a round.`,
    columns: ['', 's', 'most s', 'kB', 'to one pass'],
    rows: found.map(({ question, ms, ratios, bytes }) => [
      question.name,
      inSeconds(median(ms)),
      inSeconds(Math.max(...ms)),
      Math.round(bytes / 1_000),
      Math.round(median(ratios) * 10) / 10,
    ]),
  };
}

const inSeconds = (ms: number): number => Math.round(ms / 10) / 100;
