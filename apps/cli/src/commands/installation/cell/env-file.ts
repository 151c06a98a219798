import { parseEnv } from 'node:util';

/** Replaces the line of a variable that counts, which is the last one, or adds it. Everything else stays as it is. */
export function setVariable(text: string, name: string, value: string): string {
  const lines = text.split('\n');
  const index = lines.findLastIndex((line) => line.startsWith(`${name}=`));
  if (index === -1) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${name}=${value}\n`;
  lines[index] = `${name}=${value}`;
  return lines.join('\n');
}

/** Adds an item to a list, unless it has it. */
export function addToList(
  text: string,
  name: string,
  item: string,
  { separator, preset = '' }: { separator: string; preset?: string },
): string {
  const items = (parseEnv(text)[name] || preset).split(separator).filter((each) => each !== '');
  return items.includes(item) ? text : setVariable(text, name, [...items, item].join(separator));
}
