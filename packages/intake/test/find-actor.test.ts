import type { ActivityFormatName, PrincipalQuery } from '@tenantscope/intake';
import { formatLogRow } from '@tenantscope/intake';
import { expect, test } from 'vitest';
import { management, read } from './message.ts';

function actorUserIdOf(format: ActivityFormatName, payload: unknown, names: Readonly<Record<string, string>>) {
  const queries: PrincipalQuery[] = [];
  const findPrincipal = (_: string, query: PrincipalQuery) => {
    queries.push(query);
    return names[query.alias] ?? null;
  };
  const [outcome] = read(format, payload, { findPrincipal });
  if (outcome?.kind !== 'log') throw new Error(JSON.stringify(outcome));
  const { actorUserId } = JSON.parse(formatLogRow(outcome.row)) as { actorUserId: string | null };
  expect(outcome.row.columns.actorUserId).toBe(actorUserId);
  return { actorUserId, queries };
}

const person = management({ UserId: 'Ada@Contoso.example', UserKey: '10032001ABCDEF01' });

test('an actor is found by its id', () => {
  const { actorUserId, queries } = actorUserIdOf('o365.management-activity', person, { '10032001abcdef01': 'ada' });
  expect(actorUserId).toBe('ada');
  expect(queries).toEqual([{ alias: '10032001abcdef01', kinds: ['user'], prefersGoogle: false }]);
});

test('an actor whose id is unknown is found by its sign-in name', () => {
  const names = { 'ada@contoso.example': 'ada' };
  expect(actorUserIdOf('o365.management-activity', person, names).actorUserId).toBe('ada');
  expect(actorUserIdOf('o365.management-activity', person, {}).actorUserId).toBeNull();
});

test('an actor whose id is unknown is found by its SID', () => {
  const sid = 'S-1-12-1-2068590350-1280667946';
  const delegate = management({ RecordType: 2, Operation: 'HardDelete', UserId: sid, UserKey: '10032001ABCDEF01' });
  expect(actorUserIdOf('o365.management-activity', delegate, { [sid.toLowerCase()]: 'ada' }).actorUserId).toBe('ada');
});

test('a display name is no name of a person', () => {
  const audit = {
    id: '1',
    activityDateTime: '2026-11-20T08:00:00Z',
    activityDisplayName: 'Update user',
    initiatedBy: { user: { id: 'unknown', displayName: 'Ada Lovelace' } },
  };
  const { queries } = actorUserIdOf('entra.audit.graph', audit, {});
  expect(queries.map(({ alias }) => alias)).toEqual(['unknown']);
});

test('an account at Google is preferred for records of Google', () => {
  const activity = {
    id: { time: '2026-11-20T08:00:00Z', uniqueQualifier: '1', applicationName: 'login' },
    actor: { callerType: 'USER', email: 'Ada@contoso.example', profileId: '117' },
    events: [{ type: 'login', name: 'login_success' }],
  };
  const { actorUserId, queries } = actorUserIdOf('google.reports.activity', activity, { '117': 'google:117' });
  expect(actorUserId).toBe('google:117');
  expect(queries[0]?.prefersGoogle).toBe(true);
});

test('a service principal is found among apps before agents', () => {
  const signIn = {
    id: '1',
    createdDateTime: '2026-11-20T08:00:00Z',
    servicePrincipalId: 'SP-1',
    servicePrincipalName: 'robot@contoso.example',
    appId: 'c3f5d7a9-1b2e-4f60-9c84-7d6e5a4b3c21',
  };
  const { queries } = actorUserIdOf('entra.signin.graph', signIn, { 'sp-1': 'sp-1' });
  expect(queries).toEqual([{ alias: 'sp-1', kinds: ['app', 'agent'], prefersGoogle: false }]);
});
