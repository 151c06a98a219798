import { reportTemplates } from '@tenantscope/compliance';
import type { Report } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { notification } from '../compliance/notifications.ts';
import { render, toMs } from './tenants.ts';

const { at, dayMs, hourMs } = input;

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts?.[Symbol.asyncDispose]());

const statement = (incidentId: string, awareAt: string, statedBy = 'Ines Novak'): input.InputRecord => ({
  topic: 'compliance',
  type: 'compliance.awareness',
  id: incidentId,
  members: { subject: { type: 'incident', id: incidentId }, awareAt, statedBy },
});

/** Records that all arrive at the end of the period, and the timeline of one of their incidents. */
async function readTimeline(incidentId: string, records: readonly input.InputRecord[], lang: 'en' | 'pl' = 'en') {
  const tenant = newTenantId();
  await facts.ingest(tenant, toMs, records);
  const template = reportTemplates.find(({ id }) => id === 'incident-timeline');
  if (!template) throw new Error('missing template');
  return render(facts, tenant, template, lang, { incidentId });
}

function readStart(report: Report): { at: unknown; because: unknown } {
  const section = report.sections.find(({ key }) => key === 'detection_moment');
  if (section?.kind !== 'kpis') throw new Error('no detection moment');
  const value = (...labels: string[]) => section.content.find(({ label }) => labels.includes(label))?.value;
  return { at: value('Clocks start', 'Początek biegu terminów'), because: value('Because', 'Podstawa') };
}

/** State of each deadline of a law. */
const readStates = (report: Report, law: RegExp): unknown[] => {
  const section = report.sections.find(({ key }) => key === 'clocks');
  return section?.kind === 'table'
    ? section.content.rows.filter(([name]) => law.test(String(name))).map((row) => row[4])
    : [];
};

const timelineRows = (report: Report) => {
  const section = report.sections.find(({ key }) => key === 'timeline');
  return section?.kind === 'table' ? section.content.rows : [];
};

const ada = { type: 'user', id: 'ada' };
const arrived = toMs;

test('the clocks of a detection whose record arrived late start at the first notification', async () => {
  const notifiedMs = toMs - 3 * dayMs;
  const report = await readTimeline('d1', [
    events.episode('d1', notifiedMs - hourMs, null),
    notification('n0', notifiedMs - hourMs, { resourceId: 'd1', decision: 'suppressed', reason: 'duplicate' }),
    notification('n1', notifiedMs, { resourceId: 'd1' }),
    notification('n2', toMs - 5 * dayMs, { resourceId: 'another' }),
  ]);
  expect(readStart(report)).toEqual({ at: at(notifiedMs), because: 'the first notification was sent' });
  expect(readStates(report, /^NIS2/)).toEqual(['passed', 'running', 'running']);
  // 72 hours after the notification is exactly the end of the period.
  expect(readStates(report, /^GDPR/)).toEqual(['running']);
});

test('the clocks start at the earliest of creation, notification, human step and arrival', async () => {
  const created = toMs - 4 * dayMs;
  const alert = events.alert('a1', created, null, [events.userEvidence('ada')]);
  expect(readStart(await readTimeline('a1', [alert]))).toEqual({
    at: at(created),
    because: 'the vendor created the alert',
  });

  const humanMs = created - dayMs;
  const withActivity = {
    ...alert,
    record: { ...(alert as { record: object }).record, firstActivityDateTime: at(created - 2 * dayMs) },
  } as input.InputRecord;
  const handled = await readTimeline('a1', [withActivity, events.action('x1', 'revokeSessions', ada, humanMs)]);
  expect(readStart(handled)).toEqual({ at: at(humanMs), because: 'a person first took a step' });

  const policy = await readTimeline('a1', [
    withActivity,
    events.action('x1', 'revokeSessions', ada, humanMs, {
      actorKind: 'policy',
      rungs: [{ rung: 'confirmed', at: at(humanMs), by: null }],
    }),
  ]);
  expect(readStart(policy)).toEqual({ at: at(created), because: 'the vendor created the alert' });

  const { createdDateTime: _, ...undated } = (withActivity as { record: Record<string, unknown> }).record;
  const arrival = await readTimeline('a1', [{ topic: 'rawAlert', record: { ...undated, id: 'a1' } }]);
  expect(readStart(arrival)).toEqual({ at: at(arrived), because: 'the record arrived at this service' });
});

test('an action on whom an incident touched is found by any of the names of the account', async () => {
  const created = toMs - 2 * dayMs;
  const alert = events.alert('a1', created, null, [events.userEvidence('ada')]);
  const withActivity = {
    ...alert,
    record: { ...(alert as { record: object }).record, firstActivityDateTime: at(created - 2 * dayMs) },
  } as input.InputRecord;
  const humanMs = created - dayMs;
  for (const name of ['ada', 'ADA', 'Ada@contoso.example', 'ada.old@contoso.example']) {
    const report = await readTimeline('a1', [
      input.user('ada', { mail: 'ada.old@contoso.example' }),
      input.user('ben'),
      withActivity,
      events.action('x1', 'revokeSessions', { type: 'user', id: name }, humanMs),
      events.action('x2', 'revokeSessions', { type: 'user', id: 'ben@contoso.example' }, humanMs - hourMs),
      events.action('x3', 'blockAgent', { type: 'agent', id: 'ada@contoso.example' }, humanMs - hourMs),
    ]);
    expect(readStart(report), name).toEqual({ at: at(humanMs), because: 'a person first took a step' });
  }
});

test('a detection existed when the window of its detector ended', async () => {
  const report = await readTimeline('d1', [events.episode('d1', toMs - 5 * dayMs, null)]);
  expect(readStart(report)).toEqual({ at: at(toMs - 4 * dayMs), because: "the detector's window of a day ended" });
});

test('a person can state an earlier awareness, and a later one has no effect', async () => {
  const created = toMs - 2 * dayMs;
  const alert = events.alert('a1', created, null, []);
  const stated = await readTimeline('a1', [alert, statement('a1', at(toMs - 6 * dayMs))], 'pl');
  expect(readStart(stated)).toEqual({ at: at(toMs - 6 * dayMs), because: 'oświadczenie: Ines Novak' });
  expect(stated.period.from).toBe(at(toMs - 6 * dayMs));
  expect(timelineRows(stated)[0]).toEqual([
    at(toMs - 6 * dayMs),
    'Organizacja wiedziała o incydencie (oświadczenie)',
    'Ines Novak',
  ]);
  const later = await readTimeline('a1', [
    alert,
    statement('a1', at(toMs - dayMs)),
    statement('a2', at(toMs - 9 * dayMs)),
  ]);
  expect(readStart(later)).toEqual({ at: at(created), because: 'the vendor created the alert' });
});

test('the timeline distinguishes the approver from the independent probe', async () => {
  const staged = toMs - dayMs;
  const report = await readTimeline('a1', [
    input.user('chief', { displayName: 'Mara Lindqvist' }),
    events.alert('a1', toMs - 2 * dayMs, null, [events.userEvidence('ada')]),
    events.action('x1', 'revokeSessions', ada, staged, {
      actorKind: 'policy',
      actorName: 'Risky users',
      rungs: [
        { rung: 'approved', at: at(staged + hourMs), by: 'chief', byKind: 'human' },
        { rung: 'applied', at: at(staged + 2 * hourMs), by: 'engine', byKind: 'system' },
        { rung: 'applied', at: at(staged + 2.5 * hourMs), by: null },
        { rung: 'confirmed', at: at(staged + 3 * hourMs), by: null },
      ],
    }),
  ]);
  const steps = timelineRows(report).filter(([, what]) => String(what).startsWith('revokeSessions'));
  expect(steps.map(([, what, who]) => [what, who])).toEqual([
    ['revokeSessions: approved', 'Mara Lindqvist'],
    ['revokeSessions: executed', 'engine (system)'],
    // Who executed it was not reported.
    ['revokeSessions: executed', null],
    ['revokeSessions: confirmed by a probe', 'independent probe'],
  ]);
});

test('of more than 50 actions and notifications the tables are truncated, and the first human step counts', async () => {
  const created = toMs - 2 * dayMs;
  const activityMs = created - 3 * dayMs;
  const alert: input.InputRecord = {
    topic: 'rawAlert',
    record: {
      ...(events.alert('a1', created, null, [events.userEvidence('ada')]) as { record: object }).record,
      id: 'a1',
      firstActivityDateTime: at(activityMs),
    },
  };
  const policySteps = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const stagedMs = activityMs + (index + 1) * 60_000;
      return events.action(`p${index}`, 'revokeSessions', ada, stagedMs, {
        actorKind: 'policy',
        rungs: [{ rung: 'applied', at: at(stagedMs), by: 'engine', byKind: 'system' }],
      });
    });
  const isTruncated = (report: Report, key: string) => {
    const section = report.sections.find((one) => one.key === key);
    return section?.kind === 'table' && section.content.truncated;
  };
  const humanMs = activityMs + dayMs;
  const person = events.action('x1', 'disableUser', ada, humanMs);
  const report = await readTimeline('a1', [alert, ...policySteps(55), person]);
  expect(readStart(report)).toEqual({ at: at(humanMs), because: 'a person first took a step' });
  expect([isTruncated(report, 'actions'), isTruncated(report, 'timeline')]).toEqual([true, true]);

  const complete = await readTimeline('a1', [alert, ...policySteps(49), person]);
  expect(isTruncated(complete, 'actions')).toBe(false);

  const notified = await readTimeline('a1', [
    alert,
    ...Array.from({ length: 55 }, (_, index) => notification(`n${index}`, created + index, { resourceId: 'a1' })),
  ]);
  expect(isTruncated(notified, 'timeline')).toBe(true);
});
