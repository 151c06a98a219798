import type { EventLocation } from '@tenantscope/contract';
import { noLocation } from '../../activity/event-context.ts';
import { findNamedValue } from '../../field/named-value.ts';
import { firstText, type Json, type JsonObject, toInteger, toText } from '../../json/value.ts';
import { parseJsonObject } from './json-text.ts';

/** The full user agent. Entra's audits have it in JSON text, Exchange behind the name of the client. */
export function readUserAgent(record: JsonObject): string | null {
  const properties = record.ExtendedProperties;
  return (
    firstText(record.UserAgent, findNamedValue(properties, 'UserAgent')) ??
    toText(parseJsonObject(findNamedValue(properties, 'additionalDetails'))?.['User-Agent']) ??
    readClientUserAgent(toText(record.ClientInfoString)) ??
    toText(record.ActorInfoString)
  );
}

/** `Client=OWA;Mozilla/5.0 (…) …;` has a user agent, `Client=REST;Client=RESTSystem;;` and `Client=OWA;Action=ViaProxy` none. */
function readClientUserAgent(info: string | null): string | null {
  if (info === null || !info.includes('/')) return null;
  const [, rest] = clientPrefix.exec(info) ?? [];
  if (rest === undefined || !product.test(rest)) return null;
  return rest.endsWith(';') ? rest.slice(0, -1) : rest;
}

/** The platform where it is a name; some record types have a number there. */
export function readDeviceOs(record: JsonObject): string | null {
  return firstText(findNamedValue(record.DeviceProperties, 'OS'), platformName(record.Platform), record.OSName);
}

function platformName(value: Json | undefined): Json | undefined {
  return toInteger(value) === null ? value : undefined;
}

/** The user's region, which interactions with AI have; no other record type tells where the user was. */
export function readLocation(record: JsonObject): EventLocation | null {
  const country = toText(record.ClientRegion);
  return country === null ? null : { ...noLocation, country };
}

const clientPrefix = /^Client=[^;]{0,64};(.+)$/s;
const product = /^[\w.+ -]{1,64}\//;
