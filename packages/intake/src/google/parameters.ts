import type { Detail } from '../activity/event-context.ts';
import { addDetail } from '../activity/remaining-members.ts';
import { isObject, type Json, type JsonObject, toText } from '../json/value.ts';

/** An event's parameters: a list of names with values of several types, or, from a warehouse, an object. */
export interface Parameters {
  /** The first value of that name as text; parameters inside of others are `outer.inner`. */
  text(name: string): string | null;
  /** Every value in the record's order; a name repeats for each of its values. */
  readonly values: readonly Detail[];
}

export function readParameters(value: Json | undefined): Parameters {
  const values: Detail[] = [];
  if (Array.isArray(value)) addParameters(values, value, '');
  else if (isObject(value)) addMembers(values, value, '');
  const first = new Map<string, string>();
  for (const [name, text] of values) if (!first.has(name)) first.set(name, text);
  return { text: (name) => first.get(name) ?? null, values };
}

function addParameters(values: Detail[], list: readonly Json[], prefix: string): void {
  for (const parameter of list) {
    if (!isObject(parameter)) continue;
    const name = toText(parameter.name);
    if (name === null) continue;
    for (const member of Object.keys(parameter)) {
      if (member === 'name') continue;
      addValue(values, valueMembers.has(member) ? prefix + name : `${prefix}${name}.${member}`, parameter[member]);
    }
  }
}

/** A value of any type; messages are lists of parameters under `parameter`. */
function addValue(values: Detail[], name: string, value: Json | undefined): void {
  if (Array.isArray(value)) {
    for (const element of value) addValue(values, name, element);
  } else if (isObject(value)) {
    const prefix = `${name.slice(0, nameMax)}.`;
    if (Array.isArray(value.parameter)) addParameters(values, value.parameter, prefix);
    else addMembers(values, value, prefix);
  } else {
    addDetail(values, name, value);
  }
}

function addMembers(values: Detail[], members: JsonObject, prefix: string): void {
  for (const name of Object.keys(members)) addValue(values, prefix + name, members[name]);
}

const valueMembers: ReadonlySet<string> = new Set([
  'value',
  'intValue',
  'boolValue',
  'multiValue',
  'multiIntValue',
  'multiBoolValue',
  'messageValue',
  'multiMessageValue',
]);
/** Names of nested parameters grow with each level. */
const nameMax = 256;
