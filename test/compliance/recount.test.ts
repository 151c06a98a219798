import { type MeasuredRequirement, requirementCatalogue } from '@tenantscope/compliance';
import { readMetrics } from '@tenantscope/store/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom, isLong, tortureDurationMs } from '../torture/random.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import { explainDifference, readAllFindings } from './finding-counts.ts';
import { sourceStatus } from './input-records.ts';
import { createAccountActivity } from './recount/account-activity.ts';
import { createAccounts, recountLicenses, sendAccounts } from './recount/accounts.ts';
import { createAgents } from './recount/agents.ts';
import { createAiActivity } from './recount/ai-activity.ts';
import { createApps } from './recount/apps.ts';
import { createDirectory } from './recount/directory.ts';
import { createEpisodes } from './recount/episodes.ts';
import { createExposedAgents } from './recount/exposed-agents.ts';
import { createFiles } from './recount/files.ts';
import { createImports } from './recount/imports.ts';
import { createIncidents } from './recount/incidents.ts';
import { createMailboxes } from './recount/mailboxes.ts';
import { createActions, createPolicies } from './recount/operations.ts';
import { createOutages } from './recount/outages.ts';
import { createOversight } from './recount/oversight.ts';
import { type Chooser, type Counts, connectedAgeMs, createChooser, nowMs, type Part } from './recount/part.ts';
import { createRestrictedReads } from './recount/restricted-reads.ts';
import { createSites } from './recount/sites.ts';
import { createWorkloads } from './recount/workloads.ts';
import { insertSnapshots } from './snapshots.ts';

const measured = requirementCatalogue.filter((one): one is MeasuredRequirement => one.kind === 'measured');

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
}, 60_000);
afterAll(() => facts?.[Symbol.asyncDispose]());

/** The parts of a tenant share its accounts. */
const tenants: Readonly<Record<string, (choose: Chooser) => readonly Part[]>> = {
  'agents, apps, sites and licenses': (choose) => {
    const users = createAccounts(choose);
    const accounts = { sent: sendAccounts(users), counts: recountLicenses(users) };
    return [accounts, createAgents(choose, users), createApps(choose, users), createSites(choose, users)];
  },
  oversight: (choose) => {
    const users = createAccounts(choose);
    return [{ sent: sendAccounts(users), counts: {} }, createOversight(choose, users)];
  },
  'account activity and files': (choose) => {
    const users = createAccounts(choose);
    const accounts = { sent: sendAccounts(users), counts: {} };
    return [accounts, createAccountActivity(choose, users), createFiles(choose)];
  },
  'restricted reads': (choose) => [createRestrictedReads(choose)],
  'mailboxes and roles': (choose) => [createMailboxes(choose)],
  'exposed agents': (choose) => [createExposedAgents(choose)],
  directory: (choose) => [createDirectory(choose)],
  outages: (choose) => [createOutages(choose)],
  imports: (choose) => [createImports(choose)],
  episodes: (choose) => [createEpisodes(choose)],
  'activity of agents': (choose) => [createAiActivity(choose)],
  'actions, policies, incidents and workloads': (choose) => [
    createActions(choose),
    createPolicies(choose),
    createIncidents(choose),
    createWorkloads(choose),
  ],
};

/** Metrics with another number than the recount. A metric is null where no subject of the population, the first count, has its data. */
function listDifferences(counts: Counts, metrics: Counts): string[] {
  const [population] = Object.values(counts);
  return Object.entries(counts).flatMap(([name, expected]) => {
    const found = metrics[name];
    if (found === expected || (found === null && population === counts.unknown)) return [];
    return [`${name} is ${found}, recounted ${expected}`];
  });
}

/** Findings of a rule are listed where none of its sources is missing. */
const sourceNames = new Set(
  measured
    .flatMap(({ sources, feeds = {} }) => [...sources, ...Object.values(feeds).flat(2)])
    .filter((name) => !['tenant', 'attestations', 'snapshots', 'logs'].includes(name)),
);

async function ingest(tenantId: string, parts: readonly Part[]): Promise<void> {
  const sent = parts.flatMap((part) => part.sent);
  const byAge = Map.groupBy(sent, ({ ageMs }) => ageMs);
  for (const [ageMs, some] of [...byAge].toSorted(([one], [other]) => other - one)) {
    const records = some.map(({ record }) => record);
    await facts.ingest(tenantId, nowMs - ageMs, records);
  }
  for (const { snapshotAgesMs = [] } of parts)
    await insertSnapshots(
      facts,
      tenantId,
      snapshotAgesMs.map((snapshotAgeMs) => nowMs - snapshotAgeMs),
    );
  const reported = new Set(sent.map(({ record }) => ('members' in record ? record.members.source : null)));
  const others = [...sourceNames].filter((name) => !reported.has(name));
  await facts.ingest(
    tenantId,
    nowMs,
    others.map((source) => sourceStatus(source, nowMs)),
  );
}

test.each(Object.keys(tenants))(
  'figures of %s are those of a recount of random records',
  {
    timeout: 1_800_000,
  },
  async (name) => {
    const choose = createChooser(createRandom(name));
    const beganMs = performance.now();
    const isOver = (run: number) =>
      isLong ? performance.now() - beganMs >= tortureDurationMs({ short: 0, long: 120 }) : run >= 8;
    const differences: string[] = [];
    for (let run = 0; !isOver(run); run++) {
      const tenantId = newTenantId();
      const parts = (tenants[name] as (choose: Chooser) => readonly Part[])(choose);
      await ingest(tenantId, parts);
      const query = { tenantId, nowMs, connectedAtMs: nowMs - connectedAgeMs };
      const metrics = await facts.read(tenantId, (client) => readMetrics(client, query));
      for (const [key, counts] of parts.flatMap((part) => Object.entries(part.counts))) {
        for (const text of listDifferences(counts, metrics[key] ?? {})) differences.push(`run ${run}: ${key}: ${text}`);
        if (run % 4 > 0) continue;
        const rule = measured.find((one) => one.key === key) as MeasuredRequirement;
        const findings = await facts.read(tenantId, (client) => readAllFindings(client, query, key, 3));
        const difference = explainDifference(rule, metrics[key] ?? {}, findings);
        if (difference !== null) differences.push(`run ${run}: ${difference}`);
      }
    }
    expect(differences).toEqual([]);
  },
);
