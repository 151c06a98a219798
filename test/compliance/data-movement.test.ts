import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;

/** Mailboxes that forward to outside since two months; all but the last ones approved or ended, since and by turns. */
const forwardings = (count: number, unreviewed: number) => [
  ...many(count, (index) => said.user(`user${index}`)),
  ...many(count, (index) =>
    happened.forwarding(`user${index}@contoso.example`, 'someone@elsewhere.example', nowMs - 60 * dayMs),
  ),
  ...many(count, (index) => {
    const atMs = index < count - unreviewed ? nowMs - 50 * dayMs : nowMs - 60 * dayMs - 1_000;
    if (index % 2) return said.decision('user', `User${index}`, 'approved', atMs);
    const mailbox = { type: 'mailbox', id: `user${index}@contoso.example` };
    return happened.action(`end${index}`, index % 4 ? 'disableForwarding' : 'removeInboxRule', mailbox, atMs);
  }),
  ...many(count, (index) => said.decision('mailbox', `user${index}@contoso.example`, 'reviewed', nowMs)),
  happened.forwarding('older@contoso.example', 'someone@elsewhere.example', nowMs - 90 * dayMs - 1_000),
  happened.forwarding('inside@contoso.example', 'colleague@contoso.example', nowMs - dayMs),
];

/** Alerts about mail, the first resolved within 72 hours, the others later or not at all; beside them others' and those not yet due. */
const alerts = (count: number, handled: number) => [
  ...many(count, (index) => {
    const createdMs = nowMs - (index % 2 ? 30 : 10) * dayMs;
    const late = index % 2 ? 72.001 : null;
    return happened.alert(`alert${index}`, createdMs, index < handled ? 72 : late, [
      happened.mailEvidence(`mail${index}`),
    ]);
  }),
  happened.alert('no-mail', nowMs - 10 * dayMs, null, [happened.userEvidence('anna')]),
  happened.alert('recent', nowMs - 72 * hourMs + 1, null, [happened.mailEvidence('recent')]),
  happened.alert('ancient', nowMs - 30 * dayMs - 1, null, [happened.mailEvidence('ancient')]),
];

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
    return happened.episode(`episode${index}`, openedMs, index < handled ? 72 : late, {
      entity: { type: 'user', id: 'anna', name: 'Anna' },
      actionGroup: groups[index % groups.length] as string,
    });
  }),
  happened.episode('of-sign-ins', nowMs - 10 * dayMs, null, { actionGroup: 'auth.signIn' }),
  happened.episode('quiet', nowMs - 10 * dayMs, null, { actionGroup: 'file.download', level: 'informational' }),
  happened.episode('recent', nowMs - 3 * dayMs + 1, null, { actionGroup: 'file.download' }),
  happened.episode('ancient', nowMs - 60 * dayMs - 1, null, { actionGroup: 'file.download' }),
];

testOutcomes(prefixesOf.dataMovement, {
  'data.mail.external_forwarding': {
    met: { told: forwardings(4, 0), counts: { forwardings: 4, unreviewed: 0 } },
    at_risk: { told: forwardings(4, 3), counts: { forwardings: 4, unreviewed: 3 } },
    not_met: { told: forwardings(4, 4), counts: { forwardings: 4, unreviewed: 4 } },
    empty: { told: forwardings(0, 0), counts: { forwardings: 0 } },
  },
  'data.mail.threats_handled': {
    met: { told: alerts(20, 19), counts: { mailAlerts: 20, handled: 19 } },
    at_risk: { told: alerts(4, 3), counts: { mailAlerts: 4, handled: 3 } },
    not_met: { told: alerts(3, 2), counts: { mailAlerts: 3, handled: 2 } },
    empty: { told: alerts(0, 0), counts: { mailAlerts: 0 } },
  },
  'data.exfiltration.handled': {
    met: { told: episodes(10, 9), counts: { episodes: 10, handled: 9 } },
    at_risk: { told: episodes(10, 7), counts: { episodes: 10, handled: 7 } },
    not_met: { told: episodes(3, 2), counts: { episodes: 3, handled: 2 } },
    empty: { told: episodes(0, 0), counts: { episodes: 0 } },
  },
});
