import type { JsonIndex } from './json-index.ts';

/** The lines of what stands directly inside an object or a list. */
export function* children({ closers }: JsonIndex, line: number): Generator<number> {
  const closer = closers[line] ?? line;
  for (let child = line + 1; child < closer; child = (closers[child] ?? child) + 1) yield child;
}

/** The line of a member by its name; -1 where there is none. */
export function findMember(document: JsonIndex, line: number, name: string): number {
  if (line < 0) return -1;
  const filter = `${JSON.stringify(name)}`;
  for (const child of children(document, line))
    if (document.text.startsWith(filter, document.starts[child]) && isNamed(document, child)) return child;
  return -1;
}

export const isNamed = ({ starts, values }: JsonIndex, line: number): boolean => starts[line] !== values[line];

export function memberName(document: JsonIndex, line: number): string | null {
  if (!isNamed(document, line)) return null;
  const raw = document.text.slice(document.starts[line], document.values[line]);
  return String(parsed(raw.slice(0, raw.lastIndexOf(':'))) ?? '');
}

/** A value by its own characters, however many lines it spans. */
export function rawValue({ text, values, ends, closers }: JsonIndex, line: number): string {
  const end = ends[closers[line] ?? line] ?? 0;
  const raw = text.slice(values[line], end);
  return raw.endsWith(',') ? raw.slice(0, -1) : raw;
}

/** A value that is small. */
export const parseValue = (document: JsonIndex, line: number): unknown =>
  line < 0 ? undefined : parsed(rawValue(document, line));

export const stringValue = (document: JsonIndex, line: number): string | null => {
  const value = line < 0 || document.text[document.values[line] ?? 0] !== '"' ? null : parseValue(document, line);
  return typeof value === 'string' ? value : null;
};

/** A value in a cell: texts as they read, numbers in their own digits, an object or a list as what is in it, of about `max` characters. */
export function cellText(document: JsonIndex, line: number, max = 400): string {
  if (line < 0) return '';
  if (isOpening(document, line)) return summarize(document, line, max);
  const raw = rawValue(document, line);
  if (raw === 'null' || raw.startsWith('{') || raw.startsWith('[')) return '';
  return raw.startsWith('"') ? String(parsed(raw)) : raw;
}

/** Characters that a level of nesting counts for, so that a thousand levels end as soon as a long text. */
const levelCost = 8;

/** `name: Ada, type: User; name: …` for a list of two objects. What is null or empty is left out; the JSON has all of it. */
function summarize(document: JsonIndex, line: number, max: number): string {
  if (max <= 0) return '…';
  const isList = document.text[document.values[line] ?? 0] === '[';
  const parts: string[] = [];
  let length = 0;
  for (const child of children(document, line)) {
    if (length > max) break;
    const value = cellText(document, child, max - length - levelCost);
    if (value === '') continue;
    const isNested = !isList && isOpening(document, child);
    const name = memberName(document, child);
    const part = isList ? value : `${name ?? ''}: ${isNested ? `(${value})` : value}`;
    // A column has room for one GUID: the name comes before the id.
    if (name === 'name') parts.unshift(part);
    else parts.push(part);
    length += part.length;
  }
  return parts.join(isList && parts.some((part) => part.includes(', ')) ? '; ' : ', ');
}

export const isOpening = ({ closers }: JsonIndex, line: number): boolean => (closers[line] ?? line) > line;

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
