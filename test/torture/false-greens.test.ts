import { buildStatusDocument, readStatusInSnapshot, type StatusInput } from '@tenantscope/compliance';
import { readMetrics } from '@tenantscope/store/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import {
  evaluateIndependently,
  measuredRules,
  type SourceRecord,
  type SourceStates,
} from '../compliance/independent-evaluation.ts';
import * as input from '../compliance/input-records.ts';
import { createRandom, isLong, type Random, tortureDurationMs } from './random.ts';
import { nameAttested } from './random-tenant/attestations.ts';
import { createTenant, type RandomTenant } from './random-tenant/create-tenant.ts';
import { dayMs, hourMs, nowMs } from './random-tenant/part.ts';

/** Whether the product claims more than the independent evaluation of the same facts. */
function claimsMore(found: { status: string; evaluation: string }, independent: string): boolean {
  if (found.status === 'met') return independent !== 'met';
  if (found.status === 'at_risk') return independent !== 'met' && independent !== 'at_risk';
  return found.evaluation === 'not_applicable' && independent !== 'not_applicable';
}

const sourceNames = [
  ...new Set(measuredRules.flatMap(({ sources, feeds = {} }) => [...sources, ...Object.values(feeds).flat(2)])),
  'detections/a',
  'detections/b',
  'users/okta',
  'logs/DLP.All',
];

function pickSource(random: Random): SourceRecord {
  const age = () => nowMs - random.pick([1, 2, 3, 71, 72, 73, 200]) * hourMs;
  const gapAtMs = nowMs - random.between(0, 200) * dayMs;
  const isReported = random.between(0, 2) > 0;
  return {
    newestMs: random.between(0, 5) > 0 ? age() : null,
    importedMs: isReported && random.between(0, 4) > 0 ? age() : null,
    enabled: isReported ? random.between(0, 9) > 0 : null,
    licensed: random.pick([null, null, null, true, true, false]),
    gaps: isReported && random.between(0, 7) === 0 ? [{ fromMs: gapAtMs - dayMs, toMs: gapAtMs }] : [],
  };
}

/** Counts of any relation to each other, with few or many unknown subjects, or with one count missing. */
function pickCounts(random: Random, names: readonly string[]): Record<string, number | null> {
  const size = random.pick([0, 1, 2, 5, 20, 50, 100]);
  const pick = (name: string): number | null => {
    if (random.between(0, 60) === 0) return null;
    if (name === 'excepted') return 0;
    if (name === 'unknown') return random.pick([0, 0, 0, 1, 2, random.between(0, size)]);
    return random.pick([0, 1, size, size, Math.max(0, size - 1), random.between(0, size)]);
  };
  return Object.fromEntries(names.map((name) => [name, pick(name)]));
}

interface Covered {
  readonly failing: number;
  readonly unknown: number;
  readonly byException: Readonly<Record<string, number>>;
}

/** Covers some of the unknown subjects and some of the others, of every sixth rule. */
function pickExcepted(random: Random, metrics: Record<string, Record<string, number | null>>): Record<string, Covered> {
  const covered = Object.entries(metrics).flatMap(([key, counts]) => {
    if (!('excepted' in counts) || counts.unknown === null || random.between(0, 5) > 0) return [];
    const failing = random.pick([0, 1, 2, 5, random.between(0, 100)]);
    return [[key, { failing, unknown: random.between(0, counts.unknown ?? 0), byException: {} }] as const];
  });
  return Object.fromEntries(covered);
}

/** The counts as the status shows them. */
function moveExcepted(counts: Record<string, number | null>, covered: Covered | undefined) {
  if (covered === undefined || counts.unknown == null) return counts;
  return { ...counts, unknown: counts.unknown - covered.unknown, excepted: covered.failing + covered.unknown };
}

test('no status of random facts claims more than an independent evaluation of them', { timeout: 1_800_000 }, () => {
  const random = createRandom('facts');
  const verdicts = new Map<string, number>();
  const beganMs = performance.now();
  let round = 0;
  for (; !isOver(round, beganMs, { shortRuns: 120, longSeconds: 300 }); round++) {
    const isFresh = round % 3 > 0;
    const states: SourceStates = Object.fromEntries(
      sourceNames.flatMap((name) => {
        const fresh = { newestMs: nowMs - hourMs, importedMs: null, enabled: null, licensed: null, gaps: [] };
        if (isFresh && random.between(0, 12) > 0) return [[name, fresh] as const];
        return random.between(0, 5) > 0 ? [[name, pickSource(random)] as const] : [];
      }),
    );
    const metrics = Object.fromEntries(
      measuredRules.map((one) => [
        one.key,
        pickCounts(random, Object.keys((one as unknown as { metricsJson: object }).metricsJson)),
      ]),
    );
    const excepted = pickExcepted(random, metrics);
    const facts: StatusInput = {
      nowMs,
      metrics,
      excepted,
      sources: Object.fromEntries(
        Object.entries(states).map(([name, { importedMs, ...rest }]) => [
          name,
          { ...rest, lastCompleteImportMs: importedMs },
        ]),
      ),
      attestations: [],
      selections: [],
      tenantFacts: {},
      baseline: null,
    };
    const found = new Map(buildStatusDocument(facts).requirements.map((one) => [one.key, one]));
    for (const one of measuredRules) {
      const status = found.get(one.key);
      if (!status) throw new Error(`${one.key} is not in the status`);
      const counts = moveExcepted(metrics[one.key] ?? {}, excepted[one.key]);
      const independent = evaluateIndependently(one, states, counts, nowMs);
      if (status.reason === 'excepted') verdicts.set('excepted', (verdicts.get('excepted') ?? 0) + 1);
      verdicts.set(independent, (verdicts.get(independent) ?? 0) + 1);
      if (claimsMore(status, independent))
        expect.fail(
          `round ${round}: ${one.key} is ${status.status} ${status.reason}, independently ${independent}: ${JSON.stringify([counts, states])}`,
        );
    }
  }
  console.log(describeCoverage('facts', round, verdicts));
  expect(verdicts.get('excepted')).toBeGreaterThan(100);
  // A search that never meets a green one finds no false one.
  expect(verdicts.get('met')).toBeGreaterThan(1_000);
  expect(verdicts.get('no_data')).toBeGreaterThan(1_000);
});

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts?.[Symbol.asyncDispose]());

const reportedNames = [
  'users',
  'user_risk',
  'devices',
  'files',
  'sites',
  'groups',
  'agents',
  'agent_risk',
  'apps',
  'sensitive_info_types',
  'data_restrictions',
  'security_alerts',
  'detections',
  'emails',
  'actions',
  'notifications',
  'logs/Audit.Exchange',
  'logs/Audit.SharePoint',
  'logs/Audit.General',
  'logs/Audit.AzureActiveDirectory',
  'logs/AuditLogs',
  'logs/SystemLog',
];

/** What happened a day ago at the latest. */
const operations = ['security_alerts', 'detections', 'actions', 'notifications'];

/** Sends the records late or in time, with reports of some sources; returns the states of the sources. */
async function sendTenant(random: Random, tenantId: string, { written, declared, newestEventMs }: RandomTenant) {
  const states: SourceStates = {};
  const sent: { atMs: number; records: input.InputRecord[] }[] = [{ atMs: nowMs, records: declared }];
  const blank = { newestMs: null, importedMs: null, enabled: null, licensed: null, gaps: [] };
  const isOrderly = random.between(0, 1) === 0;
  for (const [name, records] of Object.entries(written)) {
    if (records.length === 0) continue;
    const pickedMs =
      nowMs - random.pick(isOrderly ? [1] : operations.includes(name) ? [1, 24] : [1, 24, 71, 73, 500]) * hourMs;
    // An event more than 48 hours ahead of its arrival is a dead letter.
    const atMs = name.startsWith('logs/') ? Math.max(pickedMs, newestEventMs) : pickedMs;
    states[name] = { ...blank, newestMs: atMs };
    sent.push({ atMs, records });
  }
  for (const name of reportedNames) {
    if (random.between(0, 9) < (isOrderly ? 1 : 4)) continue;
    const state = isOrderly
      ? { ...pickSource(random), importedMs: nowMs - hourMs, enabled: true, licensed: null }
      : pickSource(random);
    const enabled = state.enabled ?? true;
    const gaps = state.gaps.map(({ fromMs, toMs }) => ({ from: input.at(fromMs), to: input.at(toMs) }));
    sent.push({
      atMs: nowMs - hourMs,
      records: [input.sourceStatus(name, state.importedMs, { enabled, licensed: state.licensed, gaps })],
    });
    states[name] = { ...state, enabled, newestMs: states[name]?.newestMs ?? null };
  }
  for (const { atMs, records } of sent.toSorted((a, b) => a.atMs - b.atMs)) await facts.ingest(tenantId, atMs, records);
  return states;
}

test('a dead Exchange feed and a disabled Entra feed behind one Okta row mean no data for forwarding and role changes', async () => {
  const tenantId = newTenantId();
  const okta = {
    uuid: 'e1',
    published: input.at(nowMs - hourMs),
    eventType: 'user.session.start',
    actor: { id: '00u1', type: 'User', alternateId: 'anna@contoso.example' },
    outcome: { result: 'SUCCESS' },
  };
  await facts.ingest(tenantId, nowMs - 200 * hourMs, [
    events.forwarding('anna@contoso.example', 'anna@contoso.example', nowMs - 200 * hourMs),
    events.fileEvent('FileAccessed', 'plan', 'anna', nowMs - 200 * hourMs),
    input.sourceStatus('logs/Audit.Exchange', nowMs - 200 * hourMs),
  ]);
  await facts.ingest(tenantId, nowMs - hourMs, [
    { topic: 'activity', format: 'okta.system-log', record: okta },
    input.sourceStatus('logs/Audit.AzureActiveDirectory', nowMs - hourMs, { enabled: false }),
    ...['emails', 'actions', 'notifications'].map((name) => input.sourceStatus(name, nowMs)),
  ]);
  const query = { tenantId, nowMs, connectedAtMs: nowMs - 300 * dayMs };
  const { requirements } = await facts.read(tenantId, (client) => readStatusInSnapshot(client, query));
  const reasonOf = (key: string) => requirements.find((one) => one.key === key)?.reason;
  expect([reasonOf('data.mail.external_forwarding'), reasonOf('iam.privileged_changes.notified')]).toEqual([
    'source_stale',
    'source_disabled',
  ]);
});

/** Ends the long form after this time; the short form makes its runs, however long they take. */
function isOver(
  round: number,
  beganMs: number,
  { shortRuns, longSeconds }: Record<'shortRuns' | 'longSeconds', number>,
) {
  if (!isLong) return round >= shortRuns;
  return performance.now() - beganMs >= tortureDurationMs({ short: 0, long: longSeconds });
}

/** What a search looked at, in the words of its verdicts, most frequent first. */
function describeCoverage(name: string, runs: number, verdicts: ReadonlyMap<string, number>): string {
  const counts = [...verdicts].toSorted((a, b) => b[1] - a[1]).map(([verdict, count]) => `${count} ${verdict}`);
  return `${name}: ${runs} runs, ${counts.join(', ')}`;
}

type Counts = Readonly<Record<string, number | null>>;

/**
 * The first metric that is another number than the recount; null where all are equal. A metric is null where no subject has its data. Exceptions are
 * subtracted later, from the unknown subjects.
 */
function findDifference(recount: Counts, metrics: Counts): string | null {
  const names = Object.keys(recount).filter(
    (name) => !('excepted' in recount && ['unknown', 'excepted'].includes(name)),
  );
  const name = names.find((one) => metrics[one] !== null && metrics[one] !== recount[one]);
  return name === undefined ? null : `${name} is ${metrics[name]}, recounted ${recount[name]}`;
}

test('metrics of random records are those of a recount, and no status claims more than an independent evaluation', {
  timeout: 1_800_000,
}, async () => {
  const random = createRandom('records');
  const verdicts = new Map<string, number>();
  const rulesMet = new Set<string>();
  const counted = (verdict: string) => verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  const beganMs = performance.now();
  let round = 0;
  for (; !isOver(round, beganMs, { shortRuns: 10, longSeconds: 540 }); round++) {
    const tenantId = newTenantId();
    const tenant = createTenant(random);
    const states = await sendTenant(random, tenantId, tenant);
    const query = { tenantId, nowMs, connectedAtMs: nowMs - 200 * dayMs };
    const { requirements } = await facts.read(tenantId, (client) => readStatusInSnapshot(client, query));
    const found = new Map(requirements.map((one) => [one.key, one]));
    for (const one of measuredRules.filter(({ key }) => key in tenant.counts)) {
      const status = found.get(one.key);
      const independent = evaluateIndependently(one, states, tenant.counts[one.key] ?? {}, nowMs);
      counted(independent);
      if (independent === 'met') rulesMet.add(one.key);
      if (!status || claimsMore(status, independent))
        expect.fail(
          `round ${round}: ${one.key} is ${status?.status} ${status?.reason}, independently ${independent}: ${JSON.stringify([status?.metricsJson, tenant.counts[one.key], states])}`,
        );
    }
    const metrics = await facts.read(tenantId, (client) => readMetrics(client, query));
    for (const [key, counts] of Object.entries(tenant.counts)) {
      const difference = findDifference(counts, metrics[key] ?? {});
      if (difference !== null) expect.fail(`round ${round}: ${key}/${difference}`);
    }
    for (const [key, expected] of Object.entries(tenant.attested)) {
      const status = found.get(key);
      counted(`attested ${expected}`);
      if (!status || nameAttested(status) !== expected)
        expect.fail(`round ${round}: ${key} is ${status?.status} ${status?.reason}, independently ${expected}`);
    }
  }
  console.log(describeCoverage('records', round, verdicts), `; met were ${rulesMet.size} rules`);
  expect(verdicts.get('met')).toBeGreaterThan(5);
  expect(verdicts.get('no_data')).toBeGreaterThan(5);
  expect(verdicts.get('attested met')).toBeGreaterThan(0);
});
