import { canonical, type Json, member } from './canonical.ts';

/**
 * Where a text leaves the serialisation of its own value: the innermost member around the first character that differs,
 * and the place of that byte.
 */
export function differenceAt(value: Json, sent: string, text: string): { member: string; reason: string } {
  let at = 0;
  while (at < sent.length && sent[at] === text[at]) at += 1;
  const byte = new TextEncoder().encode(text.slice(0, at)).length;
  return {
    member: spokenPath(value, memberAt(value, at)),
    reason: `byte ${byte} is not as it is sent: another white space, order, escape or number, or a name given twice`,
  };
}

/** The path of the value whose canonical text holds a character. */
function memberAt(value: Json, at: number, path = ''): string {
  if (typeof value !== 'object' || value === null) return path;
  let start = 1;
  for (const [name, child] of children(value)) {
    const text = canonical(child);
    const prefix = Array.isArray(value) ? 0 : JSON.stringify(name).length + 1;
    if (at < start + prefix + text.length) {
      const inner = Array.isArray(value) ? `${path}[${name}]` : member(path, name);
      return at < start + prefix ? inner : memberAt(child, at - start - prefix, inner);
    }
    start += prefix + text.length + 1;
  }
  return path;
}

function children(value: Exclude<Json, string | number | boolean | null>): [string, Json][] {
  return Object.entries(value).sort(([one], [two]) => {
    if (Array.isArray(value)) return Number(one) - Number(two);
    return one < two ? -1 : 1;
  });
}

/** A path in the answer's body as a person says it: without the envelope, a section by its key. */
export function spokenPath(body: Json, path: string): string {
  const inPack = path.replace(/^data\.?/, '');
  return inPack.replace(/^sections\[(\d+)\]/, (whole, index: string) => {
    const key = at(at(at(at(body, 'data'), 'sections'), index), 'key');
    return typeof key === 'string' ? `sections.${key}` : whole;
  });
}

const at = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null ? (value as { readonly [name: string]: Json })[name] : undefined;
