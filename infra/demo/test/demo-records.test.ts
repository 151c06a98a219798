// @module-tag exhaustive
import {
  asTenantId,
  type EntityKind,
  entityKinds,
  type RecordTableName,
  recordTableNames,
} from '@tenantscope/contract';
import {
  createRemoval,
  type EntityPart,
  type Message,
  mergeEntity,
  type RecordOutcome,
  type RecordState,
  readActivity,
  readRecords,
  toEventType,
} from '@tenantscope/intake';
import { createCloudEventMessage } from '@tenantscope/publish';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DemoState, type DemoTenant, demoHistory, demoRecords, demoTenants, toMessages } from '../src/index.ts';

const endMs = Date.UTC(2026, 10, 20, 15, 30);
const tenantId = asTenantId('0d9a5c1e-7b34-4f2a-9e61-3c8b7f5d2a10');
const [first] = demoTenants as [DemoTenant, ...DemoTenant[]];

function contextOf({ azureTenantId }: DemoTenant) {
  return {
    findTenant: (id: string) => (id === tenantId ? { azureTenantId } : undefined),
    nowMs: endMs + 60_000,
    maxValueBytes: 1_048_576,
    onlyElement: null,
  };
}

const recordsOf = (tenant: DemoTenant, seed = 'a seed') => [...demoRecords({ tenant, endMs, seed })];

/** What ingestion makes of records, one list for each message. */
function outcomesOf(tenant: DemoTenant, states: readonly DemoState[]): RecordOutcome[] {
  return states.flatMap((state) =>
    toMessages(state, tenantId).flatMap(({ key, value, headers }) =>
      readRecords(
        state.topic,
        { key: Buffer.from(String(key)), value, headers: headers as Message['headers'] },
        contextOf(tenant),
      ),
    ),
  );
}

/** The rows that are left: of each record its greatest version, of each entity its merged parts. */
function rowsOf(tenant: DemoTenant) {
  const logs = [...demoHistory({ tenant, endMs })].flatMap(({ format, record, occurredAtMs: timeMs }) => {
    const value = Buffer.from(JSON.stringify(record));
    const event = { id: 'demo', source: '/collectors/demo', type: toEventType(format), tenantId, timeMs, value };
    const { headers } = createCloudEventMessage(event);
    return readActivity({ key: null, value, headers: headers as Message['headers'] }, contextOf(tenant));
  });
  const tables = new Map<RecordTableName, Map<string, RecordState>>(
    recordTableNames.map((table) => [table, new Map()]),
  );
  const parts: EntityPart[] = [];
  for (const outcome of [...outcomesOf(tenant, recordsOf(tenant, 'tenantscope')), ...logs]) {
    if (outcome.kind === 'part') parts.push(outcome.part);
    if (outcome.kind === 'removed' && outcome.table === 'entity') parts.push(createRemoval(outcome));
    if (outcome.kind !== 'state') continue;
    const rows = tables.get(outcome.table);
    if (outcome.state.version >= (rows?.get(outcome.state.id)?.version ?? 0))
      rows?.set(outcome.state.id, outcome.state);
  }
  const entities = new Map(
    [...Map.groupBy(parts, ({ entityKind }) => entityKind)].map(([kind, ofKind]) => {
      const merged = [...Map.groupBy(ofKind, ({ id }) => id)].map(
        ([id, some]) => [id, mergeEntity(kind, some)] as const,
      );
      return [kind, new Map(merged)] as const;
    }),
  );
  return { tables, entities, logs };
}
let firstRows: ReturnType<typeof rowsOf>;
beforeAll(() => {
  firstRows = rowsOf(first);
});

describe.each(demoTenants.map((tenant) => [tenant.name, tenant] as const))('%s', (_, tenant) => {
  let records: DemoState[];
  beforeAll(() => {
    records = recordsOf(tenant);
  });

  test('every record of every topic is parsed without a dead letter', () => {
    const rejected = outcomesOf(tenant, records).filter((outcome) => outcome.kind === 'rejected');
    expect(rejected).toEqual([]);
  });

  test('all states are in the past, and no two states of one version differ', () => {
    const digests = new Map<string, string>();
    for (const outcome of outcomesOf(tenant, records)) {
      if (outcome.kind !== 'state') continue;
      const { id, version, digest } = outcome.state;
      const name = `${outcome.table}/${id}/${version}`;
      expect(digests.get(name) ?? digest.toString('hex')).toBe(digest.toString('hex'));
      digests.set(name, digest.toString('hex'));
    }
    expect(records.filter(({ changedAtMs }) => changedAtMs > endMs)).toEqual([]);
  });
});

test('the same seed gives the same records, another seed different ones', () => {
  const generate = (seed: string) => JSON.stringify(demoTenants.slice(1).map((tenant) => recordsOf(tenant, seed)));
  expect(generate('one')).toBe(generate('one'));
  expect(generate('one')).not.toBe(generate('other'));
});

test('the first tenant has enough records in every feed', () => {
  const { tables, entities } = firstRows;
  const counts = Object.fromEntries([
    ...[...tables].map(([table, rows]) => [table, rows.size] as const),
    ...[...entities].map(([kind, rows]) => [kind, rows.size] as const),
  ]);
  const least = {
    detection: 40,
    policy_scan: 115,
    notification: 200,
    action: 80,
    security_alert: 40,
    agent_evidence: 50,
    user: 41,
    agent: 15,
    file: 150,
    group: 25,
    site: 12,
    app: 27,
    device: 40,
    email: 40,
    license: 8,
    sensitiveInfoType: 20,
  };
  const short = Object.entries(least).filter(([name, count]) => (counts[name] ?? 0) < count);
  expect(short.map(([name]) => [name, counts[name]])).toEqual([]);
});

test('every filter of every list matches some and not all records of the first tenant', () => {
  const { tables, entities } = firstRows;
  const columns: [string, readonly Readonly<Record<string, unknown>>[]][] = [
    ...[...tables].map(([table, rows]): (typeof columns)[number] => [
      table,
      [...rows.values()].map((row) => row.columns),
    ]),
    ...[...entities].map(([kind, rows]): (typeof columns)[number] => [
      kind,
      [...rows.values()].flatMap((row) => (row === null ? [] : [row.columns])),
    ]),
  ];
  // All detections are anomalies so far, no filter asks for the ledger, and not every kind has deleted ones. Agents of
  // the audit log come from interactions: those of entity records are all reported.
  const without = (column: string) => /^(detection\.kind|action\.ledger|agent\.evidence|.*\.is_deleted)$/.test(column);
  const poor = columns
    .filter(([name]) => name !== 'agent_evidence')
    .flatMap(([name, rows]) =>
      Object.keys(rows[0] ?? {})
        .filter((column) => new Set(rows.flatMap((row) => row[column]).filter((value) => value !== null)).size < 2)
        .map((column) => `${name}.${column}`),
    )
    .filter((column) => !without(column));
  expect(poor).toEqual([]);
});

test('every user and object that records of the first tenant refer to exists, but an agent that only the audit log names', () => {
  const { tables, entities, logs } = firstRows;
  const names = new Map<string, ReadonlySet<string>>();
  for (const [kind, rows] of entities) {
    const ids = [...rows].flatMap(([id, row]) => [id.toLowerCase(), ...(row?.aliases ?? [])]);
    names.set(kind, new Set(ids));
  }
  const missing: string[] = [];
  const expectThere = (who: string, kind: string | null, id: unknown) => {
    if (typeof id === 'string' && kind !== null && !names.get(kind)?.has(id.toLowerCase()))
      missing.push(`${who}: ${kind} ${id}`);
  };
  const documents = (table: RecordTableName) =>
    [...(tables.get(table)?.values() ?? [])].map((row) => JSON.parse(`{${row.members}}`));

  for (const { entity } of documents('detection')) expectThere('detection', entity?.type ?? null, entity?.id);
  for (const { resourceType, resourceId } of [...documents('action'), ...documents('notification')])
    expectThere('action or notification', resourceType, resourceId);
  for (const { users, groups, emails, apps } of documents('security_alert')) {
    for (const { id } of users) expectThere('alert', 'user', id);
    for (const { id } of groups) expectThere('alert', 'group', id);
    for (const { id } of emails) expectThere('alert', 'email', id);
    for (const { id, kind } of apps) expectThere('alert', kind === 'agent' ? 'agent' : 'app', id);
  }
  for (const row of entities.get('file')?.values() ?? []) {
    const { siteId, ownerId } = JSON.parse(`{${row?.members}}`);
    expectThere('file', 'site', siteId);
    expectThere('file', 'user', ownerId);
  }
  const detections = tables.get('detection');
  const scans = tables.get('policy_scan');
  for (const { subjectType, subjectId, source } of documents('notification')) {
    // What ingestion noticed is about the log as a whole.
    if (source === 'ingestion') continue;
    const rows = subjectType === 'detection' ? detections : scans;
    if (!rows?.has(subjectId)) missing.push(`notification: ${subjectType} ${subjectId}`);
  }
  const kindOfResource: Record<string, EntityKind> = {
    file: 'file',
    agent: 'agent',
    servicePrincipal: 'app',
    user: 'user',
  };
  for (const outcome of logs) {
    if (outcome.kind !== 'log') continue;
    const { actorId, actorType, resourceId, resourceType, deviceId, workload } = outcome.row.columns;
    const isDirectory = workload !== 'Okta' && (actorType === 'user' || actorType === 'guest');
    if (isDirectory) expectThere('log', 'user', actorId);
    expectThere('log', kindOfResource[resourceType ?? ''] ?? null, resourceId);
    if (actorType === 'agent') expectThere('log', 'agent', actorId);
    if (actorType === 'user') expectThere('log', 'device', deviceId);
  }
  expect([...new Set(missing)].slice(0, 20)).toEqual([expect.stringMatching(/^log: agent T_[0-9a-f-]{36}$/)]);
});

test('the records trace the account takeover from the mail to the response actions', () => {
  const { tables, entities } = firstRows;
  const victim = [...(entities.get('user') ?? [])].find(([, row]) => row?.members.includes('Teun Verhagen'));
  const about = (table: RecordTableName) =>
    [...(tables.get(table)?.values() ?? [])].filter(({ members }) => members.includes(victim?.[0] ?? 'nobody'));
  const alerts = about('security_alert');
  expect(alerts.some(({ members }) => members.includes('Your invoice could not be paid'))).toBe(true);
  expect(about('detection').some(({ members }) => members.includes('downloaded 110 files'))).toBe(true);
  expect(about('notification').length).toBeGreaterThan(0);
  expect(about('action').map(({ columns }) => columns.action_type)).toEqual(
    expect.arrayContaining(['disableUser', 'revokeSessions', 'resetPassword']),
  );
});

test('invisible characters in names are escaped, and the first tenant has some', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/;
  const sent = recordsOf(first).filter((state) => hidden.test(JSON.stringify(state)));
  expect(sent.length).toBeGreaterThanOrEqual(4);
  const { tables, entities } = firstRows;
  const served = [
    ...[...tables.values()].flatMap((rows) => [...rows.values()].map(({ members }) => members)),
    ...[...entities.values()].flatMap((rows) =>
      [...rows.values()].map((row) => `${row?.members}${row?.detailMembers}`),
    ),
  ];
  expect(served.filter((text) => hidden.test(text))).toEqual([]);
});

test('there is an entity of every kind, and there are deleted users, agents and files', () => {
  const { entities } = firstRows;
  expect([...entities.keys()].sort()).toEqual([...entityKinds].sort());
  for (const kind of ['user', 'agent', 'file'] as const) {
    const rows = [...(entities.get(kind)?.values() ?? [])];
    expect(rows.filter((row) => row?.columns.is_deleted === true)).toHaveLength(1);
  }
});
