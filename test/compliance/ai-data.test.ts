import { randomUUID } from 'node:crypto';
import * as events from './events.ts';
import * as input from './input-records.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs } = input;
const containing = (...types: readonly string[]) => ({ sensitiveInfoTypes: types.map((id) => ({ id, name: id })) });
type Members = Readonly<Record<string, unknown>>;

const reaches: readonly Members[] = [
  { aiAppReachCount: 1 },
  { agentReachCount: 2 },
  { aiAppReachCount: null, agentReachCount: null, aiReach: [{ type: 'agent', id: 'sales', name: 'Sales' }] },
];
const inReach = (index: number, more: Members = {}) =>
  input.file(`file${index}`, { ...containing('iban'), ...reaches[index % 3], ...more });

/** Sensitive files in reach of AI; the first ones have no protecting label: no label, a label without protection or an unknown label. */
const reached = (count: number, unprotected: number) => [
  ...many(count, (index) => {
    const label = { sensitivityLabelName: 'Internal', isProtected: index % 2 ? false : null };
    return inReach(
      index,
      index < unprotected ? (index % 3 ? label : {}) : { sensitivityLabelName: 'Secret', isProtected: true },
    );
  }),
  input.file('out-of-reach', containing('iban')),
  input.file('plain', { aiAppReachCount: 3 }),
  input.file('gone', { ...containing('iban'), aiAppReachCount: 1 }),
  input.deletedEntity('file', 'gone'),
];
const unknownReach = input.file('unknown', { ...containing('iban'), aiAppReachCount: null, agentReachCount: null });

/** Data types in reach; the first ones are restricted or accepted. A lifted restriction and a plain review decide nothing. */
const types = (count: number, decided: number) => [
  ...many(count, (index) => input.file(`file${index}`, { ...containing(`Type${index}`), aiAppReachCount: 1 })),
  ...many(decided, (index) =>
    index % 2
      ? input.decision('sensitiveInfoType', `type${index}`, 'accepted', nowMs)
      : input.restriction(`r${index}`, `type${index}`, 'monitored', nowMs - dayMs),
  ),
  input.file('out-of-reach', containing('hidden')),
  input.restriction('lifted', `type${decided}`, 'noAccess', nowMs - 9 * dayMs),
  input.deletedRestriction('lifted'),
  input.restriction('ended', `type${decided}`, 'noAccess', nowMs - 9 * dayMs),
  input.restrictionEvent('end', 'ended', { event: 'lift', occurredAt: input.at(nowMs - dayMs) }),
  input.decision('sensitiveInfoType', `type${decided}`, 'reviewed', nowMs),
];

/** Files of restricted types; the first ones have a protecting label. */
const carriers = (count: number, protectedOnes: number) => [
  input.restriction('r1', 'IBAN', 'monitored', nowMs - dayMs),
  input.restriction('r2', 'health', 'noAccess', nowMs - dayMs),
  ...many(count, (index) =>
    input.file(`file${index}`, {
      ...containing(...(index % 2 ? ['iban'] : ['iban', 'health'])),
      isProtected: index < protectedOnes,
    }),
  ),
  input.file('of-another-type', containing('passport')),
  input.file('gone', containing('iban')),
  input.deletedEntity('file', 'gone'),
];

const itemId = '3f8a1c52-7e4b-4d19-9c06-1b2a3c4d5e6f';
const url = 'https://contoso.example/sites/finance/payroll.xlsx';
const users = [input.user('anna'), input.user('ben', { userType: 'guest' }), input.guest('gus')];
/** A file restricted ten days ago and an unrestricted one. */
const restricted = (level: 'monitored' | 'noAiAccess' | 'noAccess', more: Members = {}) => [
  ...users,
  input.agent('sales', { agentIdentityId: 'identity-of-sales' }),
  input.app('assistant', { isAiApp: true, appId: appIds.assistant }),
  input.app('viewer', { appId: appIds.viewer }),
  input.file(itemId, { ...containing('iban'), webUrl: url }),
  input.file('plan', containing('passport')),
  input.restriction('r1', 'iban', level, nowMs - 10 * dayMs, more),
];
const appIds = {
  assistant: '11111111-1111-4111-8111-111111111111',
  viewer: '22222222-2222-4222-8222-222222222222',
  unclassified: '33333333-3333-4333-8333-333333333333',
};
/** A read through the app with this client id. */
const readThrough = (appId: string, more: Members = {}) =>
  events.fileEvent('FileAccessed', itemId, 'anna', nowMs - dayMs, { ApplicationId: appId, ...more });
const unclassified = input.app('unclassified', { isAiApp: null, appId: appIds.unclassified });
const opened = (who: string | null, occurredMs: number, resource: Members, more: object = {}) =>
  events.interaction(who, occurredMs, { resources: [resource], ...more });
const byItem = { listItemUniqueId: itemId.toUpperCase(), Type: 'docx' };

/** An outsider whom a record of Defender names in capital letters, and her read. */
const readByOutsider = [
  input.user('zaneta', { userPrincipalName: 'żaneta@partner.example', isExternal: true }),
  {
    topic: 'activity',
    format: 'm365d.advanced-hunting',
    record: {
      category: 'AdvancedHunting-CloudAppEvents',
      properties: {
        Timestamp: input.at(nowMs - dayMs),
        ReportId: randomUUID(),
        ActionType: 'FileDownloaded',
        AccountType: 'Regular',
        AccountId: 'ŻANETA@partner.example',
        ObjectId: itemId,
        ObjectType: 'File',
      },
    },
  },
] as const;
/** Too long for an alias. */
const longUrl = `https://contoso.example/sites/finance/${'Lista%20p%C5%82ac/'.repeat(20)}payroll.xlsx`;

/** Events that are not a read of it: before the restriction, of another file, or another operation. */
const innocent = [
  opened('anna', nowMs - 10 * dayMs - 1_000, byItem, { agentId: 'sales' }),
  opened('anna', nowMs - dayMs, { listItemUniqueId: 'plan' }, { agentId: 'sales' }),
  events.fileEvent('FileAccessed', itemId, 'anna', nowMs - 10 * dayMs - 1_000),
  events.fileEvent('FileModified', itemId, 'anna', nowMs - dayMs),
  events.fileEvent('FileAccessed', 'plan', 'anna', nowMs - dayMs),
  events.fileEvent('FileAccessed', itemId, 'system', nowMs - dayMs, { UserId: 'NT AUTHORITY\\SYSTEM', UserType: 4 }),
];

/** Lifted a week ago and declared again three days ago; the record is as it was declared at first. */
const declaredAgain = (level: 'noAiAccess' | 'noAccess') => [
  ...restricted(level),
  ...(
    [
      ['lift', 7],
      ['declare', 3],
      ['declare', 1],
    ] as const
  ).map(([event, days]) =>
    input.restrictionEvent(`${event}${days}`, 'r1', { event, occurredAt: input.at(nowMs - days * dayMs) }),
  ),
];

/** Reads by users, once per day. */
const readings = (count: number, who = 'anna') =>
  many(count, (index) =>
    events.fileEvent(index % 2 ? 'FileDownloaded' : 'FilePreviewed', itemId, who, nowMs - (index + 1) * dayMs),
  );

testOutcomes(requirementPrefixes.aiData, {
  'ai.data.sensitive_reach_protected': {
    met: {
      records: reached(20, 1),
      counts: { sensitiveInReach: 20, unprotected: 1, unprotectedPct: 5 },
    },
    at_risk: { records: reached(10, 2), counts: { sensitiveInReach: 10, unprotected: 2 } },
    not_met: { records: reached(9, 2), counts: { sensitiveInReach: 9, unprotected: 2, unprotectedPct: 22.3 } },
    empty: { records: reached(0, 0), counts: { sensitiveInReach: 0 } },
    untold: { records: [unknownReach], counts: { sensitiveInReach: 1 } },
    unknown: {
      records: [...reached(19, 1), unknownReach],
      counts: { sensitiveInReach: 20, unprotected: 2, unknown: 1 },
    },
  },
  'ai.data.restriction_decisions': {
    met: { records: types(10, 9), counts: { typesInReach: 10, decided: 9 } },
    at_risk: { records: types(2, 1), counts: { typesInReach: 2, decided: 1 } },
    not_met: { records: types(3, 1), counts: { typesInReach: 3, decided: 1 } },
    empty: { records: types(0, 0), counts: { typesInReach: 0 } },
    untold: { records: [unknownReach], counts: { typesInReach: 1 } },
  },
  'ai.data.restricted_label_coverage': {
    met: { records: carriers(10, 9), counts: { carriers: 10, labelProtected: 9 } },
    at_risk: { records: carriers(5, 3), counts: { carriers: 5, labelProtected: 3 } },
    not_met: { records: carriers(2, 1), counts: { carriers: 2, labelProtected: 1 } },
    empty: { records: carriers(0, 0), counts: { carriers: 0 } },
  },
  'ai.data.no_ai_reads_of_restricted': {
    met: [
      {
        records: [...restricted('noAiAccess'), ...innocent, ...readings(1), readThrough(appIds.viewer)],
        counts: { restrictionsNoAi: 1, aiReads: 0, aiIdentities: 0, unknown: 0 },
      },
      {
        // Raised to that level yesterday, after the read.
        records: [
          ...restricted('noAiAccess'),
          input.restrictionEvent('e1', 'r1', {
            event: 'modify',
            fromLevel: 'monitored',
            toLevel: 'noAiAccess',
            occurredAt: input.at(nowMs - dayMs),
          }),
          opened('anna', nowMs - 2 * dayMs, byItem, { agentId: 'sales' }),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 0 },
      },
      {
        records: [...declaredAgain('noAiAccess'), opened('anna', nowMs - 4 * dayMs, byItem, { agentId: 'sales' })],
        counts: { restrictionsNoAi: 1, aiReads: 0 },
      },
    ],
    not_met: [
      {
        records: [...declaredAgain('noAiAccess'), opened('anna', nowMs - 2 * dayMs, byItem, { agentId: 'sales' })],
        counts: { restrictionsNoAi: 1, aiReads: 1 },
      },
      {
        records: [...restricted('noAiAccess'), opened('anna', nowMs - dayMs, byItem, { agentId: 'sales' })],
        counts: { restrictionsNoAi: 1, aiReads: 1, aiIdentities: 1 },
      },
      {
        records: [
          ...restricted('noAiAccess'),
          input.file('sources', { ...containing('iban'), webUrl: longUrl }),
          opened('anna', nowMs - dayMs, { SiteUrl: longUrl.toUpperCase() }),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 1 },
      },
      {
        records: [
          ...restricted('noAccess'),
          opened('anna', nowMs - dayMs, { Id: url, SiteUrl: url }),
          opened('anna', nowMs - 2 * dayMs, byItem, { agentId: 'Sales' }),
          readThrough(appIds.assistant),
          readThrough(appIds.viewer),
          input.deletedEntity('file', itemId),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 3, aiIdentities: 3, unknown: 0 },
      },
      {
        // Whatever is unknown next to a known one.
        records: [
          ...restricted('noAiAccess'),
          unclassified,
          opened('anna', nowMs - dayMs, byItem, { agentId: 'sales' }),
          ...many(5, () => readThrough(appIds.unclassified)),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 6, aiIdentities: 1, unknown: 5 },
      },
      {
        // By an app that the inventory reports after its read, and by the identity of an agent.
        records: [
          ingestedAt(
            nowMs - dayMs,
            readThrough('55555555-5555-4555-8555-555555555555'),
            readThrough('66666666-6666-4666-8666-666666666666'),
          ),
          ...restricted('noAiAccess'),
          input.agent('bot', { appId: '66666666-6666-4666-8666-666666666666' }),
          input.app('late', { isAiApp: true, appId: '55555555-5555-4555-8555-555555555555' }),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 2, aiIdentities: 2, unknown: 0 },
      },
    ],
    unknown: [
      {
        // Through an app that is not classified, and through one that the inventory does not have.
        records: [
          ...restricted('noAiAccess'),
          unclassified,
          ...readings(4),
          readThrough(appIds.unclassified),
          readThrough('44444444-4444-4444-8444-444444444444'),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 2, aiIdentities: 0, unknown: 2 },
      },
      {
        // By a program that is named nowhere; no other read is known.
        records: [
          ...restricted('noAccess'),
          events.fileEvent('FileAccessed', itemId, 'anna', nowMs - dayMs, { UserId: 'app@sharepoint', UserType: 5 }),
        ],
        counts: { restrictionsNoAi: 1, aiReads: 1, aiIdentities: 0, unknown: 1 },
      },
    ],
    empty: [
      {
        records: [...restricted('monitored'), opened('anna', nowMs - dayMs, byItem)],
        counts: { restrictionsNoAi: 0, aiReads: 0 },
      },
      { records: [...restricted('noAccess'), input.deletedRestriction('r1')], counts: { restrictionsNoAi: 0 } },
    ],
  },
  'ai.data.restriction_no_access_violations': {
    met: [
      {
        records: [...restricted('noAccess', { exemptIds: ['anna'] }), ...innocent, ...readings(3)],
        counts: { restrictionsNoAccess: 1, reads: 0, externalReads: 0 },
      },
      {
        records: [...restricted('noAccess', { exemptIds: ['zaneta'] }), ...readByOutsider],
        counts: { restrictionsNoAccess: 1, reads: 0, externalReads: 0 },
      },
      // An account is exempt by any of its names, whatever its events call it; ids of Okta have both cases.
      ...['00u1zoe', 'zoe@contoso.example', 'ZOE@contoso.example'].map((exempt) => ({
        records: [
          ...restricted('noAccess', { exemptIds: ['other', exempt] }),
          input.user('00u1ZoE', { userPrincipalName: 'zoe@contoso.example' }),
          events.fileEvent('FileAccessed', itemId, 'zoe', nowMs - dayMs),
          events.fileEvent('FileDownloaded', itemId, 'zoe', nowMs - dayMs, { UserId: '00u1ZoE' }),
        ],
        counts: { restrictionsNoAccess: 1, reads: 0, externalReads: 0 },
      })),
      {
        // Restricted only from AI at the time of the read.
        records: [
          ...restricted('noAiAccess'),
          input.restrictionEvent('e1', 'r1', {
            event: 'modify',
            fromLevel: 'noAiAccess',
            toLevel: 'noAccess',
            occurredAt: input.at(nowMs - dayMs),
          }),
          events.fileEvent('FileAccessed', itemId, 'anna', nowMs - 2 * dayMs),
        ],
        counts: { restrictionsNoAccess: 1, reads: 0 },
      },
      {
        records: [...declaredAgain('noAccess'), events.fileEvent('FileAccessed', itemId, 'anna', nowMs - 4 * dayMs)],
        counts: { restrictionsNoAccess: 1, reads: 0 },
      },
    ],
    at_risk: {
      records: [
        ...restricted('noAccess', { exemptIds: ['ben'] }),
        ...readings(4),
        opened('anna', nowMs - dayMs, byItem),
      ],
      counts: { restrictionsNoAccess: 1, reads: 5, externalReads: 0 },
    },
    not_met: { records: [...restricted('noAccess'), ...readings(6)], counts: { reads: 6, externalReads: 0 } },
    empty: { records: [...restricted('noAiAccess'), ...readings(2)], counts: { restrictionsNoAccess: 0, reads: 0 } },
    'guard:externalReads': [
      { records: [...restricted('noAccess'), ...readings(1, 'ben')], counts: { reads: 1, externalReads: 1 } },
      { records: [...restricted('noAccess'), ...readByOutsider], counts: { reads: 1, externalReads: 1 } },
      {
        records: [
          ...restricted('noAccess'),
          events.fileEvent('FileDownloaded', itemId, 'gus', nowMs - dayMs, {
            UserId: 'eve_else.example#EXT#@contoso.example',
          }),
        ],
        counts: { reads: 1, externalReads: 1 },
      },
    ],
  },
});
