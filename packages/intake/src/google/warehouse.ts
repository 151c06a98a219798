import type { Json, JsonObject } from '../json/value.ts';
import { isObject, toText } from '../json/value.ts';

/** An envelope and its one event. */
export interface WarehouseRow {
  readonly envelope: JsonObject;
  readonly event: JsonObject;
}

/**
 * Reads a row of a table of events, null where the record is none. Collectors flatten an event into its envelope: its members
 * become `event_name` and `event_type`, its parameters columns next to them. Google's own export to BigQuery names the
 * members of the envelope differently and has the parameters in a column of the application.
 */
export function readWarehouseRow(record: JsonObject): WarehouseRow | null {
  const { event_name: name, event_type: type } = record;
  if (record.events !== undefined || name === undefined) return null;
  const envelope: Record<string, Json | undefined> = {};
  const parameters: Record<string, Json | undefined> = {};
  const application = isObject(record.id) ? null : toText(record.record_type);
  for (const [member, value] of Object.entries(record)) {
    if (member === 'event_name' || member === 'event_type') continue;
    if (envelopeMembers.has(member)) envelope[member] = value;
    else if (isObject(record.id) || !exportMembers.has(member)) define(parameters, member, value);
  }
  if (!isObject(record.id)) Object.assign(envelope, readExportMembers(record, application));
  const own = application === null ? undefined : parameters[application];
  if (application !== null && isObject(own)) {
    delete parameters[application];
    for (const [member, value] of Object.entries(own)) define(parameters, member, value);
  }
  return { envelope, event: { type, name, parameters } };
}

function readExportMembers(record: JsonObject, application: string | null): JsonObject {
  return {
    id: {
      time: toIsoTime(record.time_usec),
      uniqueQualifier: record.unique_identifier,
      applicationName: application,
    },
    actor: { email: record.email },
    ipAddress: record.ip_address,
  };
}

/** Microseconds since the epoch as a time with milliseconds; anything else as it is. */
function toIsoTime(value: Json | undefined): Json | undefined {
  const text = toText(value);
  if (text === null || !microseconds.test(text)) return value;
  return new Date(Math.floor(Number(text) / 1_000)).toISOString();
}

/** An assignment to `__proto__` would set the prototype and lose the member. */
function define(members: Record<string, Json | undefined>, name: string, value: Json | undefined): void {
  Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Members of an activity of the Reports API; all others are parameters. */
const envelopeMembers: ReadonlySet<string> = new Set([
  'kind',
  'id',
  'etag',
  'actor',
  'ownerDomain',
  'ipAddress',
  'networkInfo',
  'resourceDetails',
]);
const exportMembers: ReadonlySet<string> = new Set([
  'time_usec',
  'unique_identifier',
  'record_type',
  'email',
  'ip_address',
]);
/** Of the years 1973 to 2286. */
const microseconds = /^\d{15,16}$/;
