import { isIP } from 'node:net';
import { EcsFlat, EcsVersion } from '@elastic/ecs';
import { type EcsDocument, ecsRemainder, ecsVersion } from '@tenantscope/mapping';

interface Definition {
  readonly type: string;
  readonly normalize: readonly string[];
  readonly allowed_values?: readonly { readonly name: string; readonly expected_event_types?: readonly string[] }[];
  readonly pattern?: string;
}

const definitions = EcsFlat as unknown as Readonly<Record<string, Definition>>;

/** What is wrong with a document by the published definitions of the fields, as texts; none for a valid one. */
export function findFieldViolations(document: EcsDocument): string[] {
  if (EcsVersion !== ecsVersion) return [`the definitions are of ${EcsVersion}`];
  const { [ecsRemainder]: _, ...fields } = document;
  return [...findInFields('', fields), ...findInTypes(document)];
}

function findInFields(prefix: string, fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const definition = Object.hasOwn(definitions, path) ? definitions[path] : undefined;
    if (definition && definition.type !== 'object') return findInField(path, definition, value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no field`];
    return findInFields(`${path}.`, value as Readonly<Record<string, unknown>>);
  });
}

function findInField(path: string, definition: Definition, value: unknown): string[] {
  const isList = definition.normalize.includes('array');
  if (isList !== Array.isArray(value)) return [`${path} must ${isList ? '' : 'not '}be a list`];
  return (isList ? (value as unknown[]) : [value]).flatMap((one) => {
    if (!isOfType(definition.type, one)) return [`${path} is not of type ${definition.type}: ${JSON.stringify(one)}`];
    if (definition.pattern && !new RegExp(definition.pattern).test(String(one))) return [`${path} has no such pattern`];
    const allowed = definition.allowed_values?.map(({ name }) => name);
    return allowed?.length && !allowed.includes(String(one)) ? [`${path} does not allow ${one}`] : [];
  });
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'keyword':
    case 'wildcard':
    case 'match_only_text':
      return typeof value === 'string' && value !== '';
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) && !Number.isNaN(Date.parse(value));
    case 'ip':
      return typeof value === 'string' && isIP(value) !== 0;
    case 'long':
      return Number.isSafeInteger(value);
    case 'float':
      return Number.isFinite(value);
    case 'geo_point':
      return isPoint(value);
    default:
      return false;
  }
}

function isPoint(value: unknown): boolean {
  const { lat, lon, ...others } = value as { lat: number; lon: number };
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && Object.keys(others).length === 0;
}

/** Each type must be one of those that a category of the event expects. */
function findInTypes(document: EcsDocument): string[] {
  const { category = [], type = [] } = document.event as { category?: string[]; type?: string[] };
  const expected = definitions['event.category']?.allowed_values
    ?.filter(({ name }) => category.includes(name))
    .flatMap((each) => each.expected_event_types ?? []);
  return category.length === 0
    ? []
    : type.filter((one) => !expected?.includes(one)).map((one) => `${category} has no type ${one}`);
}

/** Members with a value that the document has nowhere. */
export function findLostMembers(row: object, document: EcsDocument): string[] {
  const text = JSON.stringify(document);
  return Object.entries(row)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .filter(([, value]) => !text.includes(JSON.stringify(value)))
    .map(([name]) => name);
}
