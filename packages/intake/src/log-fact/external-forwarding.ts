import { namedValue } from '../field/named-value.ts';
import { readParameters } from '../google/parameters.ts';
import { firstText, type JsonObject, objectOf } from '../json/value.ts';
import { forwardedOutside, parameter } from '../microsoft/forwarding.ts';
import { type FactReader, mostItems, shown } from './log-fact.ts';

const ofGoogle = 'email_forwarding_out_of_domain';
export const forwardingActions = [
  'new-inboxrule',
  'set-inboxrule',
  'enable-inboxrule',
  'updateinboxrules',
  'set-mailbox',
  ofGoogle,
];

/** That mail leaves the organization by a rule or by a mailbox's own forwarding. */
export const externalForwarding: FactReader = ({ record, activity, row }) => {
  if (activity.outcome === 'failure') return null;
  const isGoogle = row.columns.action === ofGoogle;
  const google = readParameters(objectOf(record.events).parameters);
  const recipients = isGoogle
    ? [google.text('email_forwarding_destination_address')].filter((address) => address !== null)
    : [...new Set(forwardedOutside(record, namedValue(record.OperationProperties, 'RuleActions')))];
  if (recipients.length === 0 && !isGoogle) return null;
  const mailbox = isGoogle
    ? activity.actor.name
    : firstText(
        record.MailboxOwnerUPN,
        parameter(record, 'Mailbox'),
        row.columns.action === 'set-mailbox' ? firstText(parameter(record, 'Identity'), record.ObjectId) : undefined,
        record.UserId,
      );
  return {
    kind: 'externalForwarding',
    facts: {
      mailbox: shown(mailbox),
      recipients: recipients.slice(0, mostItems).map((address) => shown(address)),
      actorId: shown(activity.actor.id),
      rule: /inboxrules?$/.test(row.columns.action) ? shown(ruleOf(record)) : null,
    },
  };
};

function ruleOf(record: JsonObject): string | null {
  return firstText(parameter(record, 'Name'), namedValue(record.OperationProperties, 'RuleName'), record.ObjectId);
}
