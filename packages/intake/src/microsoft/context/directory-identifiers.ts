import { isObject, type Json, toText } from '../../json/value.ts';

/** The texts of a list of Entra's identifiers, without those that repeat an id behind a class: `User_<guid>`. */
export function listOtherIdentifiers(list: Json): string[] {
  if (!Array.isArray(list)) return [];
  const texts: string[] = [];
  for (const entry of list as readonly Json[]) {
    const text = isObject(entry) ? toText(entry.ID) : null;
    if (text !== null && !classPrefix.test(text)) texts.push(text);
  }
  return texts;
}

const classPrefix = /^[A-Z][A-Za-z]{2,40}_[\w-]{3,64}$/;
