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

/** A value in a cell: texts as they read, all else in its own characters. */
export function cellText(document: JsonIndex, line: number): string {
  if (line < 0) return '';
  const raw = rawValue(document, line);
  return raw === 'null' ? '' : raw.startsWith('"') ? String(parsed(raw)) : raw;
}

export const isOpening = ({ closers }: JsonIndex, line: number): boolean => (closers[line] ?? line) > line;

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
