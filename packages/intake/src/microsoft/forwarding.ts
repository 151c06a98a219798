import { findNamedValue } from '../field/named-value.ts';
import { type Json, type JsonObject, toText } from '../json/value.ts';

/** Forwarding addresses of a rule or mailbox outside the organization's domains, as far as the record itself shows these. */
export function findExternalForwards(record: JsonObject): string[] {
  const own = [
    toText(record.OrganizationName)?.toLowerCase() ?? null,
    readDomain(toText(record.UserId)),
    readDomain(toText(record.MailboxOwnerUPN)),
  ];
  const values = [...forwardingParameters.map((name) => readParameter(record, name)), readRuleActions(record)];
  const targets = values.map(toText).filter((text) => text !== null);
  return targets
    .flatMap((text) => text.slice(0, maxSearchedLength).match(addresses) ?? [])
    .filter((address) => !own.includes(readDomain(address)));
}

/** A parameter of a cmdlet; its value may be a list. */
export function readParameter(record: JsonObject, name: string): Json | undefined {
  const value = findNamedValue(record.Parameters, name);
  return Array.isArray(value) ? value.map((each) => toText(each) ?? '').join(';') : value;
}

/** What a rule does that Outlook itself stores: JSON text, such as `[{"ActionType":"Forward","Recipients":[…]}]`. */
export function readRuleActions(record: JsonObject): string | null {
  return toText(findNamedValue(record.OperationProperties, 'RuleActions'));
}

function readDomain(address: string | null): string | null {
  return address?.split('@')[1]?.toLowerCase() ?? null;
}

const forwardingParameters = [
  'ForwardTo',
  'ForwardAsAttachmentTo',
  'RedirectTo',
  'ForwardingSmtpAddress',
  'ForwardingAddress',
];
/** The search for addresses costs up to 64 steps per character. */
const maxSearchedLength = 8192;
const addresses = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;
