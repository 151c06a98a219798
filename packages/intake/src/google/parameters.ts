import { firstText, isObject, type Json, toText } from '../json/value.ts';

/** An event's parameters: a list of names with values of several types, or, from a warehouse, an object. */
export interface Parameters {
  /** The first value of that name as text. */
  text(name: string): string | null;
}

export function readParameters(value: Json | undefined): Parameters {
  return {
    text(name) {
      if (isObject(value)) return Object.hasOwn(value, name) ? toText(value[name]) : null;
      if (!Array.isArray(value)) return null;
      const found = value.find((each) => isObject(each) && each.name === name);
      if (!isObject(found)) return null;
      const many = found.multiValue;
      return firstText(found.value, found.intValue, Array.isArray(many) ? many[0] : undefined);
    },
  };
}
