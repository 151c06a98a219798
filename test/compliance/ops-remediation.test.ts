import * as events from './events.ts';
import * as input from './input-records.ts';
import { many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;
const at = input.at;
const file = { type: 'file', id: 'plan' };
const confirmedAction = (id: string, createdMs: number, more: Readonly<Record<string, unknown>> = {}) =>
  events.action(id, 'removeSharingLink', file, createdMs, more);
const open = { rollupRung: 'applied', itemsSettled: 0 };

/** Due actions, each settled after 10 hours; the last ones too late or at an unknown time. */
const due = (count: number, late: number) => [
  ...many(count, (index) => {
    const dueMs = index % 2 ? nowMs : nowMs - 90 * dayMs;
    const settledMs = index >= late ? dueMs : index % 2 ? dueMs + 1 : null;
    return confirmedAction(`due${index}`, dueMs - 10 * hourMs, {
      dueAt: at(dueMs),
      settledAt: settledMs === null ? null : at(settledMs),
      rollupRung: index % 3 ? 'confirmed' : 'rejected',
    });
  }),
  confirmedAction('ancient', nowMs - 100 * dayMs, { dueAt: at(nowMs - 90 * dayMs - 1) }),
  confirmedAction('due.later', nowMs - dayMs, { dueAt: at(nowMs + 1), ...open }),
  confirmedAction('whenever', nowMs - dayMs, open),
  confirmedAction('simulated', nowMs - dayMs, { dueAt: at(nowMs - hourMs), isSimulated: true }),
];

const items = (total: number, failures: number) => [
  confirmedAction('many', nowMs - 90 * dayMs, { itemsTotal: total, itemsSettled: total, failedCount: failures }),
  confirmedAction('ancient', nowMs - 90 * dayMs - 1, { itemsTotal: 9, itemsSettled: 9, failedCount: 9 }),
  confirmedAction('simulated', nowMs - dayMs, { itemsTotal: 9, itemsSettled: 9, failedCount: 9, isSimulated: true }),
];

const overdue = (count: number) => [
  ...many(count, (index) =>
    confirmedAction(`late${index}`, nowMs - 300 * dayMs, {
      ...open,
      dueAt: at(nowMs - 1),
      rollupRung: ['staged', 'approved', 'applied'][index % 3],
    }),
  ),
  confirmedAction('on.time', nowMs - dayMs, { ...open, dueAt: at(nowMs) }),
  confirmedAction('settled', nowMs - dayMs, { dueAt: at(nowMs - dayMs) }),
  confirmedAction('simulated', nowMs - dayMs, { ...open, dueAt: at(nowMs - dayMs), isSimulated: true }),
];

const appliedMs = nowMs - 180 * dayMs;
const approval = (more: object = {}) => ({
  rung: 'approved',
  at: at(appliedMs),
  by: 'chief',
  byKind: 'human',
  ...more,
});
/** An irreversible action, applied at the edge of the window, with its earlier steps. */
const grave = (id: string, ...approvals: readonly object[]) =>
  confirmedAction(id, appliedMs - hourMs, {
    isIrreversible: true,
    rungs: [{ rung: 'staged', at: at(appliedMs - hourMs) }, ...approvals, { rung: 'applied', at: at(appliedMs) }],
  });
const approved = (count: number, unapproved: readonly object[][]) => [
  ...many(count - unapproved.length, (index) => grave(`approved${index}`, approval())),
  ...unapproved.map((approvals, index) => grave(`not${index}`, ...approvals)),
  confirmedAction('reversible', nowMs - dayMs),
  confirmedAction('rejected', nowMs - dayMs, { isIrreversible: true, rollupRung: 'rejected', rungs: [] }),
  confirmedAction('ancient', nowMs - 200 * dayMs, {
    isIrreversible: true,
    rungs: [{ rung: 'applied', at: at(nowMs - 180 * dayMs - 1) }],
  }),
  confirmedAction('simulated', nowMs - dayMs, { isIrreversible: true, isSimulated: true }),
];

const executed = (count: number, unconfirmed: number) => [
  ...many(count, (index) => {
    const atMs = index % 2 ? nowMs - 90 * dayMs : nowMs - dayMs;
    if (index < unconfirmed) return confirmedAction(`done${index}`, atMs, open);
    const rungs = [
      { rung: 'applied', at: at(atMs) },
      { rung: 'confirmed', at: at(atMs + hourMs) },
    ];
    return confirmedAction(`done${index}`, atMs, { rollupRung: index % 3 ? 'confirmed' : 'reverted', rungs });
  }),
  confirmedAction('fresh', nowMs - dayMs + 1, open),
  confirmedAction('ancient', nowMs - 90 * dayMs - 1, open),
  confirmedAction('failed', nowMs - 10 * dayMs, { rollupRung: 'failed', failedCount: 1, rungs: [] }),
  confirmedAction('simulated', nowMs - 10 * dayMs, { ...open, isSimulated: true }),
];

testOutcomes(requirementPrefixes.remediation, {
  'ops.remediation.on_time': {
    met: { records: due(10, 1), counts: { dueActions: 10, onTime: 9, medianHours: 10, onTimePct: 90 } },
    at_risk: { records: due(10, 3), counts: { dueActions: 10, onTime: 7, medianHours: 10, onTimePct: 70 } },
    not_met: [
      { records: due(10, 4), counts: { dueActions: 10, onTime: 6, onTimePct: 60 } },
      {
        records: [confirmedAction('open', nowMs - dayMs, { ...open, dueAt: at(nowMs), settledAt: at(nowMs - hourMs) })],
        counts: { dueActions: 1, onTime: 0, medianHours: null },
      },
    ],
    empty: { records: due(0, 0), counts: { dueActions: 0, onTime: 0, medianHours: null } },
  },
  'ops.remediation.failures': {
    met: { records: items(50, 1), counts: { itemsTotal: 50, failedItems: 1, failedPct: 2 } },
    at_risk: { records: items(10, 1), counts: { itemsTotal: 10, failedItems: 1, failedPct: 10 } },
    not_met: { records: items(9, 1), counts: { itemsTotal: 9, failedItems: 1, failedPct: 11.2 } },
    empty: { records: items(0, 0), counts: { itemsTotal: 0, failedItems: 0 } },
  },
  'ops.remediation.overdue': {
    met: { records: overdue(0), counts: { open: 1, overdue: 0 } },
    at_risk: { records: overdue(5), counts: { open: 6, overdue: 5 } },
    not_met: { records: overdue(6), counts: { open: 7, overdue: 6 } },
    empty: { records: [confirmedAction('settled', nowMs - dayMs)], counts: { open: 0, overdue: 0 } },
  },
  'ops.remediation.human_approval': {
    met: { records: approved(2, []), counts: { irreversible: 2, approved: 2, approvedPct: 100 } },
    at_risk: { records: approved(50, [[]]), counts: { irreversible: 50, approved: 49, approvedPct: 98 } },
    not_met: [
      {
        records: approved(6, [
          [approval({ byKind: 'policy' })],
          [approval({ by: null })],
          [approval({ byKind: null })],
          [approval({ at: at(appliedMs + 1) })],
        ]),
        counts: { irreversible: 6, approved: 2, approvedPct: 33.3 },
      },
      // An action without steps counts as applied by its rung, with an unknown approver.
      {
        records: [confirmedAction('untold', appliedMs, { isIrreversible: true, rungs: null })],
        counts: { irreversible: 1, approved: 0 },
      },
    ],
    empty: { records: approved(0, []), counts: { irreversible: 0, approved: 0 } },
  },
  'ops.remediation.verified': {
    met: { records: executed(20, 1), counts: { executed: 20, confirmed: 19, confirmedPct: 95 } },
    at_risk: { records: executed(5, 1), counts: { executed: 5, confirmed: 4, confirmedPct: 80 } },
    not_met: { records: executed(4, 1), counts: { executed: 4, confirmed: 3, confirmedPct: 75 } },
    empty: { records: executed(0, 0), counts: { executed: 0, confirmed: 0 } },
  },
});
