import { namedValue } from '../field/named-value.ts';
import { type Json, type JsonObject, textOf } from '../json/value.ts';

/**
 * Addresses outside the domains that the record itself shows to be the organization's, to which a rule or a mailbox forwards from now on.
 * @param also further texts that may hold such addresses
 */
export function forwardedOutside(record: JsonObject, ...also: readonly (Json | undefined)[]): string[] {
  const own = [
    textOf(record.OrganizationName),
    domainOf(textOf(record.UserId)),
    domainOf(textOf(record.MailboxOwnerUPN)),
  ];
  const told = [...forwardingParameters.map((name) => parameter(record, name)), ...also];
  const targets = told.map(textOf).filter((text) => text !== null);
  return targets
    .flatMap((text) => text.slice(0, longestSearched).match(addresses) ?? [])
    .filter((address) => !own.includes(domainOf(address)));
}

/** A parameter of a cmdlet; its value may be a list. */
export function parameter(record: JsonObject, name: string): Json | undefined {
  const value = namedValue(record.Parameters, name);
  return Array.isArray(value) ? value.map((each) => textOf(each) ?? '').join(';') : value;
}

function domainOf(address: string | null): string | null {
  return address?.split('@')[1]?.toLowerCase() ?? null;
}

const forwardingParameters = [
  'ForwardTo',
  'ForwardAsAttachmentTo',
  'RedirectTo',
  'ForwardingSmtpAddress',
  'ForwardingAddress',
];
/** The search for addresses costs up to 64 steps a character. */
const longestSearched = 8192;
const addresses = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;
