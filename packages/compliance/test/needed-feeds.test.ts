import { expect, test } from 'vitest';
import { evaluate, type Facts, type SourceState } from '../src/index.ts';
import { bareFacts, dayMs, fresh, hourMs, nowMs, requirementNamed } from './facts.ts';

const forwarding = 'data.mail.external_forwarding';
const roleChanges = 'iam.privileged_changes.notified';
const quiet = {
  [forwarding]: { forwardings: 0, unreviewed: 0, unknown: 0 },
  [roleChanges]: { changes: 0, followed: 0, unknown: 0 },
  'data.exfiltration.handled': { episodes: 0, handled: 0, unknown: 0 },
  'iam.mfa.members': { members: 10, mfaRegistered: 10, unknown: 0 },
};
const others = Object.fromEntries(['notifications', 'actions', 'emails'].map((name) => [name, fresh]));
const dead: SourceState = { ...fresh, newestMs: nowMs - 200 * hourMs };
const disabled: SourceState = { ...fresh, enabled: false };
const reported = (hoursAgo: number, more: Partial<SourceState> = {}): SourceState => ({
  ...fresh,
  enabled: true,
  lastCompleteImportMs: nowMs - hoursAgo * hourMs,
  ...more,
});

function outcome(key: string, sources: Facts['sources']): string {
  const facts = { ...bareFacts, metrics: quiet, sources: { ...others, ...sources } };
  const { status, reason } = evaluate(requirementNamed(key), facts);
  return `${status} ${reason}`;
}

test('a dead Exchange feed and a disabled Entra feed behind one Okta row mean no data for forwarding and role changes', () => {
  const sources = {
    logs: fresh,
    'logs/SystemLog': fresh,
    'logs/Audit.Exchange': dead,
    'logs/Audit.AzureActiveDirectory': disabled,
  };
  expect(outcome(forwarding, sources)).toBe('not_evaluated source_stale');
  expect(outcome(roleChanges, sources)).toBe('not_evaluated source_disabled');
});

test('a feed that reports nothing is as old as its newest row', () => {
  expect(outcome(forwarding, { 'logs/Audit.Exchange': { ...fresh, newestMs: nowMs - 72 * hourMs } })).toBe(
    'met empty_population',
  );
  expect(outcome(forwarding, { 'logs/Audit.Exchange': { ...fresh, newestMs: nowMs - 72 * hourMs - 1 } })).toBe(
    'not_evaluated source_stale',
  );
});

test('the report of a collector decides, not a row that arrived in spite of it', () => {
  expect(outcome(forwarding, { 'logs/Audit.Exchange': reported(100) })).toBe('not_evaluated source_stale');
  expect(outcome(forwarding, { 'logs/Audit.Exchange': reported(1, { newestMs: nowMs - 900 * hourMs }) })).toBe(
    'met empty_population',
  );
});

test('a feed that was never connected is missing, whatever other feeds of the provider deliver', () => {
  expect(outcome(forwarding, { logs: fresh })).toBe('not_evaluated source_missing');
  expect(outcome(forwarding, { logs: fresh, 'logs/SystemLog': fresh })).toBe('not_evaluated source_missing');
  expect(outcome(roleChanges, { logs: fresh, 'logs/Audit.Exchange': fresh, 'logs/admin': fresh })).toBe(
    'not_evaluated source_missing',
  );
  expect(outcome(roleChanges, { logs: fresh, 'logs/admin': fresh })).toBe('met empty_population');
});

test('a provider without a license is not needed', () => {
  const unlicensed = { ...fresh, newestMs: null, licensed: false };
  expect(outcome(roleChanges, { 'logs/Audit.AzureActiveDirectory': unlicensed, 'logs/admin': fresh })).toBe(
    'met empty_population',
  );
  expect(outcome(roleChanges, { 'logs/Audit.AzureActiveDirectory': unlicensed })).toBe('not_evaluated source_missing');
});

test('of several routes of the same events the oldest enabled one decides', () => {
  const both = (management: SourceState, graph: SourceState) =>
    outcome(roleChanges, { 'logs/Audit.AzureActiveDirectory': management, 'logs/AuditLogs': graph });
  expect(both(fresh, dead)).toBe('not_evaluated source_stale');
  expect(both(fresh, { ...dead, enabled: false })).toBe('met empty_population');
  expect(both(fresh, { ...fresh, newestMs: null, enabled: true })).toBe('not_evaluated source_missing');
});

test('of several sources of a read model the oldest enabled one decides', () => {
  const episodes = (sources: Facts['sources']) => outcome('data.exfiltration.handled', sources);
  expect(episodes({ detections: fresh, 'detections/a': reported(1), 'detections/b': reported(100) })).toBe(
    'not_evaluated source_stale',
  );
  expect(
    episodes({ detections: fresh, 'detections/a': reported(1), 'detections/b': reported(100, { enabled: false }) }),
  ).toBe('met empty_population');
  expect(episodes({ detections: reported(1, { enabled: false }) })).toBe('not_evaluated source_disabled');
});

test('a gap inside the window of a rule over events means no data', () => {
  const withGap = (fromMs: number, toMs: number) =>
    outcome(forwarding, { 'logs/Audit.Exchange': reported(1, { gaps: [{ fromMs, toMs }] }) });
  expect(withGap(nowMs - 5 * dayMs, nowMs - 4 * dayMs)).toBe('not_evaluated source_gap');
  expect(withGap(nowMs - 99 * dayMs, nowMs - 90 * dayMs)).toBe('not_evaluated source_gap');
  expect(withGap(nowMs - 99 * dayMs, nowMs - 90 * dayMs - 1)).toBe('met empty_population');
  // A gap of a feed that the rule does not need, and of a source whose present state counts.
  expect(
    outcome(forwarding, {
      'logs/Audit.Exchange': reported(1),
      'logs/Audit.SharePoint': reported(1, { gaps: [{ fromMs: nowMs - dayMs, toMs: nowMs }] }),
    }),
  ).toBe('met empty_population');
  expect(outcome('iam.mfa.members', { users: reported(1, { gaps: [{ fromMs: nowMs - dayMs, toMs: nowMs }] }) })).toBe(
    'met threshold',
  );
});

test('the time until which data reaches is that of collectors that are enabled', () => {
  const mfa = requirementNamed('iam.mfa.members');
  const readDataAsOf = (sources: Facts['sources']) =>
    evaluate(mfa, { ...bareFacts, metrics: quiet, sources }).dataAsOfMs;
  const old = reported(2_000, { enabled: false });
  expect(readDataAsOf({ 'users/entra': reported(1), 'users/okta': old })).toBe(nowMs - hourMs);
  expect(readDataAsOf({ 'users/entra': reported(1), 'users/okta': reported(2_000, { licensed: false }) })).toBe(
    nowMs - hourMs,
  );
  expect(readDataAsOf({ 'users/okta': old })).toBe(nowMs - 2_000 * hourMs);
});

test.each([
  ['ai.agents.store_shelf', ['agents'], { shelfAgents: 3, unreviewed: 0 }],
  ['ai.agents.scoped_availability', ['agents'], { agentsActive: 3, openToAll: 0, openApproved: 0 }],
  ['ai.agents.instruction_changes_reviewed', ['agents', 'actions'], { changes: 3, reviewed: 3 }],
  ['ai.agents.risky_agents_handled', ['agents', 'actions', 'agent_risk'], { riskyAgents: 3, overdue: 0 }],
  ['ai.apps.decision', ['apps', 'logs/SignInLogs', 'logs/Audit.General'], { aiAppsUsed: 3, decided: 3 }],
  ['data.sharing.external', ['files'], { sensitiveFiles: 3, external: 0, externalUsers: 0 }],
  ['data.mail.threats_handled', ['security_alerts'], { mailAlerts: 3, handled: 3 }],
  [forwarding, ['actions', 'logs/Audit.Exchange'], { forwardings: 3, unreviewed: 0 }],
])('%s needs no source that it does not read', (key, names, metrics) => {
  const sources = Object.fromEntries(names.map((name) => [name, fresh]));
  const facts = { ...bareFacts, metrics: { [key]: { ...metrics, unknown: 0, excepted: 0 } }, sources };
  expect(evaluate(requirementNamed(key), facts)).toMatchObject({ status: 'met', reason: 'threshold' });
});
