import { ExactNumber, type Json } from '@tenantscope/intake';

/** A text, number or boolean of a record or row, as text. */
export interface MemberValue {
  /** `Actor[].ID`; `Data{}.tid` inside JSON text; `Parameters[Name].Value` with names. */
  readonly path: string;
  readonly text: string;
}

/**
 * Every value of a JSON value. JSON text is read as the value it stands for, XML text as its contents; null, empty texts and
 * texts of white space are no values, nor are the names of parameters.
 *
 * @param names whether entries of lists of names and values are told apart by their names
 */
export function listValues(value: Json, names = false): MemberValue[] {
  const values: MemberValue[] = [];
  collect(value, '', names, values);
  return values;
}

function collect(value: Json | undefined, path: string, names: boolean, values: MemberValue[]): void {
  if (value === null || value === undefined) return;
  if (value instanceof ExactNumber) {
    values.push({ path, text: value.digits });
  } else if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) collect(item, `${path}[${names ? nameOf(item) : ''}]`, names, values);
  } else if (typeof value === 'object') {
    const isPair = valueMembers.some((name) => name in value);
    for (const [name, member] of Object.entries(value))
      if (!isPair || !nameMembers.has(name)) collect(member, path === '' ? name : `${path}.${name}`, names, values);
  } else if (typeof value === 'string') {
    collectText(value.trim(), path, names, values);
  } else {
    values.push({ path, text: String(value) });
  }
}

function collectText(text: string, path: string, names: boolean, values: MemberValue[]): void {
  if (text === '') return;
  const parsed = text.startsWith('{') || text.startsWith('[') || text.startsWith('"') ? parseJson(text) : undefined;
  if (typeof parsed === 'object') collect(parsed, `${path}{}`, names, values);
  else if (typeof parsed === 'string') collect(parsed, path, names, values);
  else if (text.startsWith('<'))
    for (const [, content] of text.matchAll(/>([^<>]+)</g)) collect(content, `${path}<>`, names, values);
  else values.push({ path, text });
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The name of a parameter or property is no value: rows show it as the name of a member. */
const nameMembers: ReadonlySet<string> = new Set(['Name', 'name', 'Key', 'key']);
const valueMembers = ['Value', 'value', 'intValue', 'boolValue', 'multiValue', 'multiIntValue', 'messageValue'];

/** The name of an entry of a list of names and values. */
function nameOf(entry: Json): string {
  if (entry === null || typeof entry !== 'object' || Array.isArray(entry) || entry instanceof ExactNumber) return '';
  const { Name, name, Key, key } = entry as Readonly<Record<string, Json>>;
  const found = Name ?? name ?? Key ?? key;
  return typeof found === 'string' ? found : '';
}
