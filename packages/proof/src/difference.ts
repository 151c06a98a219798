import { canonicalize, type Json, joinPath } from './canonical.ts';

/**
 * Where a text differs from the canonical text of its own value: the innermost member around the first differing character,
 * and the offset of that byte.
 */
export function findDifference(value: Json, sent: string, text: string): { member: string; reason: string } {
  let at = 0;
  while (at < sent.length && sent[at] === text[at]) at += 1;
  const byte = new TextEncoder().encode(text.slice(0, at)).length;
  return {
    member: toPackPath(value, findMember(value, at)),
    reason: `byte ${byte} differs from the canonical text: white space, order, escape, number format or a duplicate name`,
  };
}

/** The path of the value whose canonical text holds a character. */
function findMember(value: Json, at: number, path = ''): string {
  if (typeof value !== 'object' || value === null) return path;
  let start = 1;
  for (const [name, child] of listChildren(value)) {
    const text = canonicalize(child);
    const prefix = Array.isArray(value) ? 0 : JSON.stringify(name).length + 1;
    if (at < start + prefix + text.length) {
      const inner = Array.isArray(value) ? `${path}[${name}]` : joinPath(path, name);
      return at < start + prefix ? inner : findMember(child, at - start - prefix, inner);
    }
    start += prefix + text.length + 1;
  }
  return path;
}

function listChildren(value: Exclude<Json, string | number | boolean | null>): [string, Json][] {
  return Object.entries(value).sort(([one], [two]) => {
    if (Array.isArray(value)) return Number(one) - Number(two);
    return one < two ? -1 : 1;
  });
}

/** A path in the response body for display: without the envelope, a section by its key. */
export function toPackPath(body: Json, path: string): string {
  const inPack = path.replace(/^data\.?/, '');
  return inPack.replace(/^sections\[(\d+)\]/, (whole, index: string) => {
    const key = at(at(at(at(body, 'data'), 'sections'), index), 'key');
    return typeof key === 'string' ? `sections.${key}` : whole;
  });
}

const at = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null ? (value as { readonly [name: string]: Json })[name] : undefined;
