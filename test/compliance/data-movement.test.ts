import * as events from './events.ts';
import * as input from './input-records.ts';
import { many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;

/** Mailboxes that have forwarded to outside for two months; all but the last ones were approved or stopped since, in rotation. */
const forwardings = (count: number, unreviewed: number) => [
  ...many(count, (index) => input.user(`user${index}`)),
  ...many(count, (index) =>
    events.forwarding(`user${index}@contoso.example`, 'someone@elsewhere.example', nowMs - 60 * dayMs),
  ),
  ...many(count, (index) => {
    const atMs = index < count - unreviewed ? nowMs - 50 * dayMs : nowMs - 60 * dayMs - 1_000;
    if (index % 2) return input.decision('user', `User${index}`, 'approved', atMs);
    const mailbox = { type: 'mailbox', id: `user${index}@contoso.example` };
    return events.action(`end${index}`, index % 4 ? 'disableForwarding' : 'removeInboxRule', mailbox, atMs);
  }),
  ...many(count, (index) => input.decision('mailbox', `user${index}@contoso.example`, 'reviewed', nowMs)),
  events.forwarding('older@contoso.example', 'someone@elsewhere.example', nowMs - 90 * dayMs - 1_000),
  events.forwarding('inside@contoso.example', 'colleague@contoso.example', nowMs - dayMs),
];

/** A mailbox whose approval and whose removed rule name it by another address than the log. */
const forwardingsByName = [
  ...['anna', 'ben'].map((id) => input.user(id, { mail: `${id}.nowak@contoso.example` })),
  ...['anna', 'ben'].map((id) =>
    events.forwarding(`${id}@contoso.example`, 'someone@elsewhere.example', nowMs - 60 * dayMs),
  ),
  input.decision('mailbox', 'Anna.Nowak@contoso.example', 'approved', nowMs - 50 * dayMs),
  events.action('end', 'disableForwarding', { type: 'mailbox', id: 'ben.nowak@contoso.example' }, nowMs - 50 * dayMs),
];

/** Mail alerts; the first ones were resolved within 72 hours, the others later or never. Others' alerts and alerts not yet due are included. */
const alerts = (count: number, handled: number) => [
  ...many(count, (index) => {
    const createdMs = nowMs - (index % 2 ? 30 : 10) * dayMs;
    const late = index % 2 ? 72.001 : null;
    return events.alert(`alert${index}`, createdMs, index < handled ? 72 : late, [events.mailEvidence(`mail${index}`)]);
  }),
  events.alert('no-mail', nowMs - 10 * dayMs, null, [events.userEvidence('anna')]),
  events.alert('recent', nowMs - 72 * hourMs + 1, null, [events.mailEvidence('recent')]),
  events.alert('ancient', nowMs - 30 * dayMs - 1, null, [events.mailEvidence('ancient')]),
];

/** Resolved in time and opened again: the record still has the time of its resolution. */
const reopened = (id: string): input.InputRecord => {
  const resolved = events.alert(id, nowMs - 10 * dayMs, 1, [events.mailEvidence(id)]);
  return resolved.topic === 'rawAlert'
    ? { ...resolved, record: { ...resolved.record, status: 'inProgress', lastUpdateDateTime: input.at(nowMs - dayMs) } }
    : resolved;
};

const groups = [
  'file.download',
  'file.shareExternal',
  'file.shareAnonymous',
  'mail.forwardingChange',
  'ediscovery.export',
];
const episodes = (count: number, handled: number) => [
  ...many(count, (index) => {
    const openedMs = nowMs - (index % 2 ? 60 : 3) * dayMs;
    const late = index % 2 ? 72.001 : null;
    return events.episode(`episode${index}`, openedMs, index < handled ? 72 : late, {
      entity: { type: 'user', id: 'anna', name: 'Anna' },
      actionGroup: groups[index % groups.length] as string,
    });
  }),
  events.episode('of-sign-ins', nowMs - 10 * dayMs, null, { actionGroup: 'auth.signIn' }),
  events.episode('quiet', nowMs - 10 * dayMs, null, { actionGroup: 'file.download', level: 'informational' }),
  events.episode('recent', nowMs - 3 * dayMs + 1, null, { actionGroup: 'file.download' }),
  events.episode('ancient', nowMs - 60 * dayMs - 1, null, { actionGroup: 'file.download' }),
];

testOutcomes(requirementPrefixes.dataMovement, {
  'data.mail.external_forwarding': {
    met: [
      { records: forwardings(4, 0), counts: { forwardings: 4, unreviewed: 0 } },
      { records: forwardingsByName, counts: { forwardings: 2, unreviewed: 0 } },
    ],
    at_risk: { records: forwardings(4, 3), counts: { forwardings: 4, unreviewed: 3 } },
    not_met: { records: forwardings(4, 4), counts: { forwardings: 4, unreviewed: 4 } },
    empty: { records: forwardings(0, 0), counts: { forwardings: 0 } },
  },
  'data.mail.threats_handled': {
    met: { records: alerts(20, 19), counts: { mailAlerts: 20, handled: 19 } },
    at_risk: { records: alerts(4, 3), counts: { mailAlerts: 4, handled: 3 } },
    not_met: [
      { records: alerts(3, 2), counts: { mailAlerts: 3, handled: 2 } },
      { records: [...alerts(2, 2), reopened('again')], counts: { mailAlerts: 3, handled: 2 } },
    ],
    empty: { records: alerts(0, 0), counts: { mailAlerts: 0 } },
  },
  'data.exfiltration.handled': {
    met: { records: episodes(10, 9), counts: { episodes: 10, handled: 9 } },
    at_risk: { records: episodes(10, 7), counts: { episodes: 10, handled: 7 } },
    not_met: { records: episodes(3, 2), counts: { episodes: 3, handled: 2 } },
    empty: { records: episodes(0, 0), counts: { episodes: 0 } },
  },
});
