import { changesMax, type EventChange } from '@tenantscope/contract';
import { firstText, isObject, type Json, type JsonObject, toText } from '../../json/value.ts';
import { writeJson } from '../../json/write-json.ts';
import { toScalarText } from './scalar.ts';

/**
 * What was modified: properties with values, names alone (mailbox records), or the one setting that a settings record is
 * about.
 */
export function readChanges(record: JsonObject): EventChange[] {
  const properties = record.ModifiedProperties;
  const changes: EventChange[] = [];
  if (Array.isArray(properties)) {
    for (const property of properties as readonly Json[]) {
      // One more than are served: the limit is applied and reported where the row is built.
      if (changes.length > changesMax) break;
      if (isObject(property)) addChange(changes, firstText(property.Name, property.displayName), property);
      else addChange(changes, toText(property), noValues);
    }
  }
  if (record.OldValue !== undefined || record.NewValue !== undefined) {
    // `Property` of agents' settings, `Name` of those of Teams.
    addChange(changes, firstText(record.Property, record.SettingName, record.Name), record);
  }
  return changes;
}

function addChange(changes: EventChange[], name: string | null, { OldValue, NewValue }: JsonObject): void {
  const before = readValue(OldValue);
  const after = readValue(NewValue);
  if (name !== null || before !== null || after !== null) changes.push({ name, before, after });
}

/** Entra writes values as JSON: one text, alone or in a list of one, is the text; anything else stays as it is. */
function readValue(value: Json | undefined): string | null {
  if (Array.isArray(value) || isObject(value)) return writeJson(value);
  const text = toScalarText(value);
  if (text === null || text.length > decodedMax) return text;
  const first = text.charCodeAt(0);
  if (first !== quote && first !== bracket) return text;
  const [, one] = oneText.exec(text) ?? [];
  return one === undefined ? text : decodeText(one, text);
}

function decodeText(json: string, otherwise: string): string | null {
  if (!json.includes('\\')) return toText(json.slice(1, -1));
  try {
    return toText(JSON.parse(json) as Json);
  } catch {
    return otherwise;
  }
}

const noValues: JsonObject = {};
const quote = 0x22;
const bracket = 0x5b;
/** `"x"` or `["x"]`, with any white space. */
const oneText = /^(?:\[\s*)?("(?:[^"\\]|\\.)*")(?:\s*\])?$/s;
/** Longer ones are cut in the row. */
const decodedMax = 4_096;
