import type { EventTarget } from '@tenantscope/contract';
import type { Detail } from '../../activity/event-context.ts';
import { isObject, type Json, type JsonObject, toText } from '../../json/value.ts';
import { comparedMembers, contentMembers, servedInnerMembers, servedMembers } from './detail-members.ts';
import { listOtherIdentifiers } from './directory-identifiers.ts';
import { parseJsonObject } from './json-text.ts';
import { toScalarText } from './scalar.ts';
import { isShown, type ShownValues } from './shown-values.ts';

/**
 * Every value of the record that no other field shows. A member of the record has its own name, a parameter or property its
 * own, and a member of an object the object's name before it: `ParentFolder.Path`. Elements of a list repeat the name.
 */
export function readDetails(record: JsonObject, shown: ShownValues, targets: readonly EventTarget[]): Detail[] {
  const collector: Collector = { details: [], shown };
  for (const name in record) {
    const value = record[name];
    if (value === null || value === undefined || servedMembers.has(name) || contentMembers.has(name)) continue;
    if (name === 'ModifiedProperties') addGrants(collector, value);
    else if (name === 'Actor' || name === 'Target') addIdentifiers(collector, name, value, targets);
    else if (typeof value === 'string') addText(collector, name, value);
    else addMember(collector, name, value, 0);
  }
  return collector.details;
}

interface Collector {
  readonly details: Detail[];
  readonly shown: ShownValues;
}

function addScalar({ details, shown }: Collector, name: string, value: Json): void {
  const text = toScalarText(value);
  if (text === null || details.length >= valuesMax) return;
  const fields = comparedMembers.get(name);
  if (fields === undefined || !isShown(shown, fields, text)) details.push([name, text]);
}

/** A text of the record itself may be JSON or a few elements of XML. */
function addText(collector: Collector, name: string, text: string): void {
  const first = text.charCodeAt(0);
  const object = first === brace ? parseJsonObject(text) : null;
  if (object !== null) addObject(collector, name, object, 1);
  else if (first !== lessThan || !addElements(collector, name, text)) addScalar(collector, name, text);
}

/** `<Type>Edit</Type>` of sharing events becomes `EventData.Type`. False where the text has no such element. */
function addElements(collector: Collector, name: string, text: string): boolean {
  let found = false;
  for (const [, element, content] of text.slice(0, xmlMax).matchAll(xmlElement)) {
    addScalar(collector, `${name}.${element}`, content as string);
    found = true;
  }
  return found;
}

/** @param label name of the values of a list, with its parent's; members of objects have the name alone before them */
function addMember(collector: Collector, name: string, value: Json, depth: number, label = name): void {
  if (Array.isArray(value)) addList(collector, name, value as readonly Json[], depth, label);
  else if (isObject(value)) addObject(collector, name, value, depth + 1);
  else addScalar(collector, label, value);
}

function addList(collector: Collector, name: string, elements: readonly Json[], depth: number, label: string): void {
  for (const element of elements) {
    if (collector.details.length >= valuesMax) return;
    const key = isObject(element) ? readKey(element) : null;
    if (key !== null) addNamed(collector, depth === 0 ? key : `${name}.${key}`, element as JsonObject, depth);
    else if (depth < depthMax) addMember(collector, name, element, depth + 1, label);
  }
}

/** The name of a parameter or property; null for an object that is no pair of a name and a value. */
function readKey(element: JsonObject): string | null {
  if (element.Value === undefined && element.value === undefined) return null;
  return toText(element.Name ?? element.Key ?? element.name ?? element.key);
}

/** A parameter that is set to nothing is kept: a cmdlet removes something in that way. */
function addNamed(collector: Collector, name: string, pair: JsonObject, depth: number): void {
  const value = pair.Value ?? pair.value;
  if (value === null || value === undefined || contentMembers.has(name)) return;
  if (value === '') collector.details.push([name, '']);
  else if (typeof value === 'string' && value.charCodeAt(0) === brace) addText(collector, name, value);
  else addMember(collector, name, value, depth + 1);
}

function addObject(collector: Collector, parent: string, object: JsonObject, depth: number): void {
  if (depth > depthMax) return;
  for (const member in object) {
    const value = object[member];
    if (value === null || value === undefined || contentMembers.has(member)) continue;
    const name = `${parent}.${member}`;
    if (servedInnerMembers.has(name)) continue;
    // Only the nearest parent is named: names have at most 64 characters.
    if (typeof value === 'object') addMember(collector, member, value, depth, name);
    else addScalar(collector, name, value);
  }
}

/** What a consent or grant allows, whole: the value of a change has at most 1,024 characters, a list of scopes may have more. */
function addGrants(collector: Collector, properties: Json): void {
  if (!Array.isArray(properties)) return;
  for (const property of properties as readonly Json[]) {
    if (!isObject(property)) continue;
    const name = toText(property.Name);
    if (name !== null && grantProperty.test(name)) addScalar(collector, name, property.NewValue ?? null);
  }
}

/** Identifiers of Entra's lists that neither the actor nor a target shows: PUIDs, application ids, service principal names. */
function addIdentifiers(collector: Collector, name: string, value: Json, targets: readonly EventTarget[]): void {
  const { details, shown } = collector;
  for (const text of listOtherIdentifiers(value)) {
    if (details.length >= valuesMax) return;
    const isServed = name === 'Target' ? isTarget(targets, text) : isShown(shown, actorFields, text);
    if (!isServed) details.push([name, text]);
  }
}

function isTarget(targets: readonly EventTarget[], text: string): boolean {
  for (const { id, name, type } of targets) if (id === text || name === text || type === text) return true;
  return false;
}

const grantProperty = /^(?:ConsentAction\.|ConsentContext\.|DelegatedPermissionGrant\.|AppRole\.)/;
const actorFields = ['actorId', 'actorName', 'actorType'] as const;
/** `<Type>Edit</Type>`; names have spaces: `<Permissions granted>`. */
const xmlElement = /<([A-Za-z][\w. ]{0,63})>([^<]{1,1024})<\/\1>/g;
const xmlMax = 16_384;
const brace = 0x7b;
const lessThan = 0x3c;
/** So many values have more names or bytes than are served, so that the limits of the row apply and are reported. */
const valuesMax = 5_000;
/** Provider records have 6 levels. */
const depthMax = 12;
