import type { EventTarget, Outcome } from '@tenantscope/contract';
import type { Actor, Resource } from '../activity/activity.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { readActionResult, toOutcome } from '../field/action-result.ts';
import { firstId } from '../field/guid.ts';
import { firstText, isObject, type JsonObject, toBoolean, toText } from '../json/value.ts';
import { readAccount, readPersonType } from './account.ts';
import { systemActor, type TableReader, type TableReading } from './table-reading.ts';
import { rateThreatTypes, readThreat } from './threat.ts';

/** The tables of Defender for Office 365: mails and messages of Teams, their attachments and links, and clicks. */
export const emailTables: readonly (readonly [table: string, read: TableReader])[] = [
  ['EmailEvents', (row) => readDelivery(row, 'Email')],
  ['MessageEvents', (row) => readDelivery(row, 'Message')],
  ['EmailPostDeliveryEvents', readPostDelivery],
  ['MessagePostDeliveryEvents', readPostDelivery],
  ['EmailAttachmentInfo', (row) => readPart(row, 'attachment', ['SHA256', 'FileName'], ['FileName'])],
  ['EmailUrlInfo', (row) => readPart(row, 'url', ['Url'], ['UrlDomain', 'Url'])],
  ['MessageUrlInfo', (row) => readPart(row, 'url', ['Url'], ['UrlDomain', 'Url'])],
  ['UrlClickEvents', readClick],
];

function readDelivery(row: RowReader, kind: 'Email' | 'Message'): Partial<TableReading> {
  const delivery = row.text('DeliveryAction');
  const outcome = deliveries.get(delivery?.toLowerCase() ?? '') ?? null;
  const types = toText(row.columns.ThreatTypes);
  return {
    // `EmailDelivered`, `EmailJunked`, `EmailBlocked`, `EmailReplaced`, `MessageDelivered`, `MessageBlocked`.
    action: delivery === null ? null : `${kind}${delivery}`,
    actor: readSender(row),
    actorIp: row.address('SenderIPv4', 'SenderIPv6'),
    resource: readMail(row),
    outcome,
    upstream: rateThreatTypes(types, outcome),
    context: { threat: readThreat(row), targets: [...listRecipients(row), ...listTeams(row)] },
  };
}

/** What Microsoft 365 or an administrator did with a mail that had been delivered. */
function readPostDelivery(row: RowReader): Partial<TableReading> {
  const types = toText(row.columns.ThreatTypes);
  const result = row.text('ActionResult');
  return {
    actor: systemActor,
    resource: readMail(row),
    outcome: result?.toLowerCase() === 'error' ? 'failure' : toOutcome(readActionResult(result)),
    upstream: rateThreatTypes(types, null),
    context: { outcomeReason: result, threat: readThreat(row), targets: listRecipients(row) },
  };
}

/** An attachment or a link of a mail; the mail is the resource. */
function readPart(
  row: RowReader,
  type: string,
  ids: readonly string[],
  names: readonly string[],
): Partial<TableReading> {
  const types = toText(row.columns.ThreatTypes);
  const part = { id: row.text(...ids), name: row.text(...names), type };
  return {
    actor: readSender(row),
    resource: readMail(row),
    upstream: rateThreatTypes(types, null),
    context: { threat: readThreat(row), targets: [part, ...listRecipients(row)] },
  };
}

function readClick(row: RowReader): Partial<TableReading> {
  const types = toText(row.columns.ThreatTypes);
  const url = row.text('Url');
  const action = toText(row.columns.ActionType);
  const outcome = isClickedThrough(row) ? 'success' : (clicks.get(action?.toLowerCase() ?? '') ?? null);
  const mail = row.text('NetworkMessageId');
  return {
    actor: readAccount(row, ''),
    actorIp: row.address('IPAddress'),
    resource: { id: url, name: url, type: 'url' },
    outcome,
    upstream: rateThreatTypes(types, outcome),
    clientApp: row.text('AppName', 'Workload'),
    context: {
      threat: readThreat(row),
      targets: mail === null ? [] : [{ id: mail, name: null, type: 'email' }],
    },
  };
}

/** Whether the user opened the link, if need be past the warning. */
function isClickedThrough({ columns: { IsClickedThrough } }: RowReader): boolean {
  return toBoolean(IsClickedThrough) === true || toText(IsClickedThrough) === '1';
}

/** A sender with an id in the directory is one of the tenant. */
function readSender(row: RowReader): Actor {
  const isMember = toText(row.columns.SenderObjectId) !== null;
  const id = row.text('SenderObjectId', 'SenderFromAddress', 'SenderMailFromAddress', 'SenderEmailAddress');
  const name = row.text('SenderFromAddress', 'SenderMailFromAddress', 'SenderEmailAddress', 'SenderDisplayName');
  if (toText(row.columns.SenderType)?.toLowerCase() === 'anonymous') return { id, name, type: 'anonymous' };
  return { id, name, type: isMember ? readPersonType(name ?? '') : 'unknown' };
}

/** A mail, or a message of Teams. */
function readMail(row: RowReader): Resource {
  const message = row.text('TeamsMessageId');
  if (message !== null) return { id: message, name: row.text('MessageSubject'), type: 'message' };
  return { id: row.text('NetworkMessageId', 'InternetMessageId'), name: row.text('Subject'), type: 'email' };
}

function listRecipients(row: RowReader): EventTarget[] {
  const details = row.json('RecipientDetails');
  if (Array.isArray(details)) {
    row.markShown('RecipientDetails');
    return details.filter(isObject).flatMap(readRecipient);
  }
  const name = row.text('RecipientEmailAddress');
  const id = row.text('RecipientObjectId') ?? name;
  return id === null ? [] : [{ id, name, type: 'recipient' }];
}

/** A person or a group of a message of Teams. */
function readRecipient(recipient: JsonObject): EventTarget[] {
  const name = firstText(recipient.RecipientSmtpAddress, recipient.RecipientDisplayName);
  const id = firstId(recipient.RecipientObjectId) ?? name;
  return id === null ? [] : [{ id, name, type: 'recipient' }];
}

/** The team in which a message was sent. */
function listTeams(row: RowReader): EventTarget[] {
  const id = row.text('GroupId');
  return id === null ? [] : [{ id, name: row.text('GroupName'), type: 'team' }];
}

/** In a junk folder a mail is delivered too. */
const deliveries = new Map<string, Outcome>([
  ['delivered', 'success'],
  ['junked', 'success'],
  ['deliveredasspam', 'success'],
  ['replaced', 'partial'],
  ['blocked', 'failure'],
]);
const clicks = new Map<string, Outcome>([
  ['clickallowed', 'success'],
  ['clickblocked', 'failure'],
  ['clickblockedbytenantpolicy', 'failure'],
  ['urlerrorpage', 'failure'],
]);
