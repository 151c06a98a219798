import { styleText } from 'node:util';

const widest = 'postgres'.length;
const tint = { api: 'cyan', ingest: 'magenta', jobs: 'blue', demo: 'green' } as const;

/** One line for a person: when, who, what. */
export function say(who: string, words: string): void {
  const time = new Date().toISOString().slice(11, 23);
  const name = styleText(who in tint ? tint[who as keyof typeof tint] : 'yellow', who.padEnd(widest), {
    stream: process.stdout,
  });
  for (const line of words.split('\n'))
    console.log(`${styleText('dim', time, { stream: process.stdout })}  ${name}  ${line}`);
}

const grave: Record<number, string> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };
const known = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'v']);

/** A process's own log line made readable; whatever is not a line of its log stays as it is. */
export function readable(line: string): string {
  const entry = parse(line);
  if (entry === null) return line;
  const rest = Object.entries(entry).filter(([field]) => !known.has(field));
  const words = [
    `${grave[Number(entry.level)] ?? ''}${entry.msg ?? ''}`,
    ...rest.map(([field, value]) => `${field}=${show(value)}`),
  ];
  const error = entry.err as { message?: string; stack?: string } | undefined;
  // A warning is something the process copes with: where in the code it met it helps nobody.
  if (error !== undefined)
    words.push(String(Number(entry.level) < 50 ? error.message : (error.stack ?? error.message)));
  return words.join('  ').trim();
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'level' in entry ? { ...entry } : null;
  } catch {
    return null;
  }
}

function show(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
}
