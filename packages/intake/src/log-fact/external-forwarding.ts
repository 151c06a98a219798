import { findNamedValue } from '../field/named-value.ts';
import { readParameters } from '../google/parameters.ts';
import { firstText, type JsonObject, toObject } from '../json/value.ts';
import { findExternalForwards, readParameter } from '../microsoft/forwarding.ts';
import { type FactReader, maxItems, toVisibleText } from './fact-reader.ts';

const googleForwarding = 'email_forwarding_out_of_domain';
export const forwardingActions = [
  'new-inboxrule',
  'set-inboxrule',
  'enable-inboxrule',
  'updateinboxrules',
  'set-mailbox',
  googleForwarding,
];

/** External forwarding: mail leaves the organization by a rule or by the mailbox's own forwarding. */
export const externalForwarding: FactReader = ({ record, activity, row }) => {
  if (activity.outcome === 'failure') return null;
  const isGoogle = row.columns.action === googleForwarding;
  const google = readParameters(toObject(record.events).parameters);
  const recipients = isGoogle
    ? [google.text('email_forwarding_destination_address')].filter((address) => address !== null)
    : [...new Set(findExternalForwards(record))];
  if (recipients.length === 0 && !isGoogle) return null;
  const mailbox = isGoogle
    ? activity.actor.name
    : firstText(
        record.MailboxOwnerUPN,
        readParameter(record, 'Mailbox'),
        row.columns.action === 'set-mailbox'
          ? firstText(readParameter(record, 'Identity'), record.ObjectId)
          : undefined,
        record.UserId,
      );
  return {
    kind: 'externalForwarding',
    facts: {
      mailbox: toVisibleText(mailbox),
      recipients: recipients.slice(0, maxItems).map((address) => toVisibleText(address)),
      actorId: toVisibleText(activity.actor.id),
      rule: /inboxrules?$/.test(row.columns.action) ? toVisibleText(readRuleName(record)) : null,
    },
  };
};

function readRuleName(record: JsonObject): string | null {
  return firstText(
    readParameter(record, 'Name'),
    findNamedValue(record.OperationProperties, 'RuleName'),
    record.ObjectId,
  );
}
