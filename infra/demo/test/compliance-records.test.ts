// @module-tag exhaustive
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DemoState, type DemoTenant, demoHistory, demoRecords, demoTenants } from '../src/index.ts';

const endMs = Date.UTC(2026, 10, 20, 15, 30);
const dayMs = 86_400_000;

type Fields = Readonly<Record<string, unknown>>;

const generate = (tenant: DemoTenant) => [...demoRecords({ tenant, endMs })];

function fieldsOf(states: readonly DemoState[], kind: string): Fields[] {
  return states.flatMap((state) => ('fields' in state && state.kind === kind ? [state.fields] : []));
}

describe.each(demoTenants.map((tenant) => [tenant.name, tenant] as const))('%s', (_, tenant) => {
  let states: DemoState[];
  let ids: ReadonlySet<string>;
  beforeAll(() => {
    states = generate(tenant);
    ids = new Set(states.map(({ id }) => id));
  });

  test('every attestation, decision, classification and assignment refers to an existing object', () => {
    const subjects = ['attestation', 'decision', 'riskClass', 'accountable'].flatMap((kind) =>
      fieldsOf(states, kind).flatMap(({ subject }) => (subject == null ? [] : [subject as { id: string }])),
    );
    expect(subjects.length).toBeGreaterThan(0);
    expect(subjects.filter(({ id }) => !ids.has(id))).toEqual([]);
  });

  test('every policy with a scan and every detector with an episode has a monitor record', () => {
    const ids = new Set(states.filter(({ topic }) => topic === 'compliance').map(({ kind, id }) => `${kind}/${id}`));
    const named = [
      ...fieldsOf(states, 'policy-scan').map(({ policyId }) => `policy/${policyId}`),
      ...fieldsOf(states, 'detection').map(({ detector }) => `detector/${(detector as { id: string }).id}`),
    ];
    expect([...new Set(named)].filter((name) => !ids.has(name))).toEqual([]);
  });

  test('the hashes of instructions match their texts, and the last text is the current one of the agent', () => {
    const hash = (text: unknown) => createHash('sha256').update(String(text)).digest('hex');
    const last = new Map<unknown, unknown>();
    const changes = fieldsOf(states, 'instructionChange');
    for (const { agentId, currentHash, currentText, previousHash, previousText } of changes) {
      expect(currentHash).toBe(hash(currentText));
      if (previousText !== null) expect(previousHash).toBe(hash(previousText));
      last.set(agentId, currentText);
    }
    const agents = states.filter((state) => 'fields' in state && state.kind === 'agent') as (DemoState & {
      fields: Fields;
    })[];
    for (const [agentId, text] of last) {
      const agent = agents.find(({ id }) => id === agentId);
      if (agent?.fields.instructions != null) expect(agent.fields.instructions).toBe(text);
    }
    expect(changes.length).toBeGreaterThan(0);
  });

  test('the state of a restriction matches its last event', () => {
    const events = Map.groupBy(fieldsOf(states, 'restrictionEvent'), ({ restrictionId }) => restrictionId);
    const restrictions = states.filter(({ kind }) => kind === 'restriction');
    expect([...events.keys()].sort()).toEqual(restrictions.map(({ id }) => id).sort());
    for (const state of restrictions) {
      if (!('fields' in state)) continue;
      const steps = events.get(state.id) ?? [];
      expect(steps[0]).toMatchObject({ event: 'declare', fromLevel: null, occurredAt: state.fields.declaredAt });
      const { event, fromLevel, toLevel } = steps.at(-1) ?? {};
      expect(state.fields.level).toBe(event === 'lift' ? fromLevel : toLevel);
    }
  });
});

describe('the first company', () => {
  const [first] = demoTenants as [DemoTenant, ...DemoTenant[]];
  let states: DemoState[];
  beforeAll(() => {
    states = generate(first);
  });

  test('has attestations with every verdict; one expires soon, one has expired', () => {
    const attestations = fieldsOf(states, 'attestation');
    expect(new Set(attestations.map(({ verdict }) => verdict))).toEqual(
      new Set(['compliant', 'partial', 'non_compliant', 'not_applicable']),
    );
    const ends = attestations.map(({ attestedAt, validUntil }) =>
      Date.parse(String(validUntil ?? new Date(Date.parse(String(attestedAt)) + 365 * dayMs).toISOString())),
    );
    expect(ends.filter((end) => end <= endMs)).toHaveLength(1);
    expect(ends.filter((end) => end > endMs && end <= endMs + 30 * dayMs)).toHaveLength(1);
  });

  test('has a daily vendor score over ninety days, the newest with its components', () => {
    const scores = fieldsOf(states, 'securityScore');
    expect(new Set(scores.map(({ createdDateTime }) => createdDateTime)).size).toBe(90);
    const [newest] = scores.filter(({ controlProfiles }) => controlProfiles !== undefined);
    const named = (members: unknown, name: string) => (members as Fields[]).map((member) => member[name]);
    expect(named(newest?.controlScores, 'controlName')).toEqual(named(newest?.controlProfiles, 'id'));
  });

  test('has granted, inherited and declared permissions, and declared, raised and lifted restrictions', () => {
    const values = (kind: string, name: string) => new Set(fieldsOf(states, kind).map((fields) => fields[name]));
    expect(values('permissionGrant', 'source')).toEqual(new Set(['direct', 'inherited', 'declared']));
    expect(values('restrictionEvent', 'event')).toEqual(new Set(['declare', 'modify', 'lift']));
    expect(values('agentLifecycle', 'event')).toEqual(new Set(['create', 'publish', 'share', 'deploy', 'block']));
  });

  test('has log records of recent agent publications and of attacks on agents', () => {
    const log = [...demoHistory({ tenant: first, endMs })].map(({ record }) => record);
    const published = fieldsOf(states, 'agentLifecycle').filter(
      ({ event, occurredAt }) => event === 'publish' && Date.parse(String(occurredAt)) > endMs - 30 * dayMs,
    );
    expect(published.length).toBeGreaterThan(3);
    for (const { agentId, occurredAt } of published)
      expect(log).toContainEqual(
        expect.objectContaining({
          Operation: 'BotUpdateOperation-BotPublish',
          BotId: agentId,
          CreationTime: String(occurredAt).slice(0, 19),
        }),
      );
    const attacks = log.filter((record) => /"(?:JailbreakDetected|XPIADetected)":true/.test(JSON.stringify(record)));
    expect(attacks.length).toBeGreaterThanOrEqual(10);
  });
});
