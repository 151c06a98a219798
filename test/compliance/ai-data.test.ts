import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs } = said;
const holding = (...types: readonly string[]) => ({ sensitiveInfoTypes: types.map((id) => ({ id, name: id })) });
type Members = Readonly<Record<string, unknown>>;

const reaches: readonly Members[] = [
  { aiAppReachCount: 1 },
  { agentReachCount: 2 },
  { aiAppReachCount: null, agentReachCount: null, aiReach: [{ type: 'agent', id: 'sales', name: 'Sales' }] },
];
const inReach = (index: number, more: Members = {}) =>
  said.file(`file${index}`, { ...holding('iban'), ...reaches[index % 3], ...more });

/** Sensitive files in reach of AI; the first have no protecting label: none, or one that does not protect, or one of which nobody knows. */
const reached = (count: number, unprotected: number) => [
  ...many(count, (index) => {
    const label = { sensitivityLabelName: 'Internal', isProtected: index % 2 ? false : null };
    return inReach(
      index,
      index < unprotected ? (index % 3 ? label : {}) : { sensitivityLabelName: 'Secret', isProtected: true },
    );
  }),
  said.file('out-of-reach', holding('iban')),
  said.file('plain', { aiAppReachCount: 3 }),
  said.file('gone', { ...holding('iban'), aiAppReachCount: 1 }),
  said.gone('file', 'gone'),
];
const unknownReach = said.file('unknown', { ...holding('iban'), aiAppReachCount: null, agentReachCount: null });

/** Types that are in reach, the first of them restricted or accepted; a lifted restriction and a mere review decide nothing. */
const types = (count: number, decided: number) => [
  ...many(count, (index) => said.file(`file${index}`, { ...holding(`Type${index}`), aiAppReachCount: 1 })),
  ...many(decided, (index) =>
    index % 2
      ? said.decision('sensitiveInfoType', `type${index}`, 'accepted', nowMs)
      : said.restriction(`r${index}`, `type${index}`, 'monitored', nowMs - dayMs),
  ),
  said.file('out-of-reach', holding('hidden')),
  said.restriction('lifted', `type${decided}`, 'noAccess', nowMs - 9 * dayMs),
  said.lifted('lifted'),
  said.restriction('ended', `type${decided}`, 'noAccess', nowMs - 9 * dayMs),
  said.restrictionEvent('end', 'ended', { event: 'lift', occurredAt: said.at(nowMs - dayMs) }),
  said.decision('sensitiveInfoType', `type${decided}`, 'reviewed', nowMs),
];

/** Files of restricted types, the first under a protecting label. */
const carriers = (count: number, protectedOnes: number) => [
  said.restriction('r1', 'IBAN', 'monitored', nowMs - dayMs),
  said.restriction('r2', 'health', 'noAccess', nowMs - dayMs),
  ...many(count, (index) =>
    said.file(`file${index}`, {
      ...holding(...(index % 2 ? ['iban'] : ['iban', 'health'])),
      isProtected: index < protectedOnes,
    }),
  ),
  said.file('of-another-type', holding('passport')),
  said.file('gone', holding('iban')),
  said.gone('file', 'gone'),
];

const itemId = '3f8a1c52-7e4b-4d19-9c06-1b2a3c4d5e6f';
const url = 'https://contoso.example/sites/finance/payroll.xlsx';
const people = [said.user('anna'), said.user('ben', { userType: 'guest' }), said.guest('gus')];
/** A file that is restricted since ten days, and one that is not. */
const restricted = (level: 'monitored' | 'noAiAccess' | 'noAccess', more: Members = {}) => [
  ...people,
  said.agent('sales', { agentIdentityId: 'identity-of-sales' }),
  said.app('assistant', { isAiApp: true, appId: '11111111-1111-4111-8111-111111111111' }),
  said.app('viewer', { appId: '22222222-2222-4222-8222-222222222222' }),
  said.file(itemId, { ...holding('iban'), webUrl: url }),
  said.file('plan', holding('passport')),
  said.restriction('r1', 'iban', level, nowMs - 10 * dayMs, more),
];
const opened = (who: string | null, occurredMs: number, resource: Members, more: object = {}) =>
  happened.interaction(who, occurredMs, { resources: [resource], ...more });
const byItem = { listItemUniqueId: itemId.toUpperCase(), Type: 'docx' };

/** What is no read of it: before it was restricted, of another file, or no read at all. */
const innocent = [
  opened('anna', nowMs - 10 * dayMs - 1_000, byItem, { agentId: 'sales' }),
  opened('anna', nowMs - dayMs, { listItemUniqueId: 'plan' }, { agentId: 'sales' }),
  happened.fileEvent('FileAccessed', itemId, 'anna', nowMs - 10 * dayMs - 1_000),
  happened.fileEvent('FileModified', itemId, 'anna', nowMs - dayMs),
  happened.fileEvent('FileAccessed', 'plan', 'anna', nowMs - dayMs),
  happened.fileEvent('FileAccessed', itemId, 'system', nowMs - dayMs, { UserId: 'NT AUTHORITY\\SYSTEM', UserType: 4 }),
];

/** Reads by people, once a day. */
const readings = (count: number, who = 'anna') =>
  many(count, (index) =>
    happened.fileEvent(index % 2 ? 'FileDownloaded' : 'FilePreviewed', itemId, who, nowMs - (index + 1) * dayMs),
  );

testOutcomes(prefixesOf.aiData, {
  'ai.data.sensitive_reach_protected': {
    met: {
      told: [...reached(20, 1), unknownReach],
      counts: { sensitiveInReach: 20, unprotected: 1, unprotectedPct: 5 },
    },
    at_risk: { told: reached(10, 2), counts: { sensitiveInReach: 10, unprotected: 2 } },
    not_met: { told: reached(9, 2), counts: { sensitiveInReach: 9, unprotected: 2, unprotectedPct: 22.3 } },
    empty: { told: reached(0, 0), counts: { sensitiveInReach: 0 } },
    untold: { told: [unknownReach], counts: { sensitiveInReach: null } },
  },
  'ai.data.restriction_decisions': {
    met: { told: types(10, 9), counts: { typesInReach: 10, decided: 9 } },
    at_risk: { told: types(2, 1), counts: { typesInReach: 2, decided: 1 } },
    not_met: { told: types(3, 1), counts: { typesInReach: 3, decided: 1 } },
    empty: { told: types(0, 0), counts: { typesInReach: 0 } },
    untold: { told: [unknownReach], counts: { typesInReach: null } },
  },
  'ai.data.restricted_label_coverage': {
    met: { told: carriers(10, 9), counts: { carriers: 10, labelProtected: 9 } },
    at_risk: { told: carriers(5, 3), counts: { carriers: 5, labelProtected: 3 } },
    not_met: { told: carriers(2, 1), counts: { carriers: 2, labelProtected: 1 } },
    empty: { told: carriers(0, 0), counts: { carriers: 0 } },
  },
  'ai.data.no_ai_reads_of_restricted': {
    met: [
      {
        told: [...restricted('noAiAccess'), ...innocent, ...readings(1)],
        counts: { restrictionsNoAi: 1, aiReads: 0, aiIdentities: 0 },
      },
      {
        // Raised to that yesterday, after it was read.
        told: [
          ...restricted('noAiAccess'),
          said.restrictionEvent('e1', 'r1', {
            event: 'modify',
            fromLevel: 'monitored',
            toLevel: 'noAiAccess',
            occurredAt: said.at(nowMs - dayMs),
          }),
          opened('anna', nowMs - 2 * dayMs, byItem, { agentId: 'sales' }),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 0 },
      },
    ],
    not_met: [
      {
        told: [...restricted('noAiAccess'), opened('anna', nowMs - dayMs, byItem, { agentId: 'sales' })],
        counts: { restrictionsNoAi: 1, aiReads: 1, aiIdentities: 1 },
      },
      {
        told: [
          ...restricted('noAccess'),
          opened('anna', nowMs - dayMs, { Id: url, SiteUrl: url }),
          opened('anna', nowMs - 2 * dayMs, byItem, { agentId: 'Sales' }),
          happened.fileEvent('FileAccessed', itemId, 'anna', nowMs - dayMs, {
            ApplicationId: '11111111-1111-4111-8111-111111111111',
          }),
          happened.fileEvent('FileAccessed', itemId, 'anna', nowMs - dayMs, {
            ApplicationId: '22222222-2222-4222-8222-222222222222',
          }),
          said.gone('file', itemId),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 3, aiIdentities: 3 },
      },
    ],
    empty: [
      {
        told: [...restricted('monitored'), opened('anna', nowMs - dayMs, byItem)],
        counts: { restrictionsNoAi: 0, aiReads: 0 },
      },
      { told: [...restricted('noAccess'), said.lifted('r1')], counts: { restrictionsNoAi: 0 } },
    ],
  },
  'ai.data.restriction_no_access_violations': {
    met: [
      {
        told: [...restricted('noAccess', { exemptIds: ['anna'] }), ...innocent, ...readings(3)],
        counts: { restrictionsNoAccess: 1, reads: 0, externalReads: 0 },
      },
      {
        // Kept from AI alone when it was read.
        told: [
          ...restricted('noAiAccess'),
          said.restrictionEvent('e1', 'r1', {
            event: 'modify',
            fromLevel: 'noAiAccess',
            toLevel: 'noAccess',
            occurredAt: said.at(nowMs - dayMs),
          }),
          happened.fileEvent('FileAccessed', itemId, 'anna', nowMs - 2 * dayMs),
        ],
        counts: { restrictionsNoAccess: 1, reads: 0 },
      },
    ],
    at_risk: {
      told: [...restricted('noAccess', { exemptIds: ['ben'] }), ...readings(4), opened('anna', nowMs - dayMs, byItem)],
      counts: { restrictionsNoAccess: 1, reads: 5, externalReads: 0 },
    },
    not_met: { told: [...restricted('noAccess'), ...readings(6)], counts: { reads: 6, externalReads: 0 } },
    empty: { told: [...restricted('noAiAccess'), ...readings(2)], counts: { restrictionsNoAccess: 0, reads: 0 } },
    'guard:externalReads': [
      { told: [...restricted('noAccess'), ...readings(1, 'ben')], counts: { reads: 1, externalReads: 1 } },
      {
        told: [
          ...restricted('noAccess'),
          happened.fileEvent('FileDownloaded', itemId, 'gus', nowMs - dayMs, {
            UserId: 'eve_else.example#EXT#@contoso.example',
          }),
        ],
        counts: { reads: 1, externalReads: 1 },
      },
    ],
  },
});
