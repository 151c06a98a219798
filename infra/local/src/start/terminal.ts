import { styleText } from 'node:util';

const nameWidth = 'postgres'.length;
const colors = { api: 'cyan', ingest: 'magenta', jobs: 'blue', demo: 'green' } as const;

/** Writes one line to the terminal: time, process, text. */
export function writeLine(processName: string, text: string): void {
  const time = new Date().toISOString().slice(11, 23);
  const color = processName in colors ? colors[processName as keyof typeof colors] : 'yellow';
  const name = styleText(color, processName.padEnd(nameWidth), { stream: process.stdout });
  for (const line of text.split('\n'))
    console.log(`${styleText('dim', time, { stream: process.stdout })}  ${name}  ${line}`);
}

const levelPrefixes: Record<number, string> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };
const hiddenFields = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'v']);

/** Formats a JSON log line of a process for reading. Other lines are returned unchanged. */
export function formatLogLine(line: string): string {
  const entry = parse(line);
  if (entry === null) return line;
  const fields = Object.entries(entry).filter(([field]) => !hiddenFields.has(field));
  const parts = [
    `${levelPrefixes[Number(entry.level)] ?? ''}${entry.msg ?? ''}`,
    ...fields.map(([field, value]) => `${field}=${formatValue(value)}`),
  ];
  const error = entry.err as { message?: string; stack?: string } | undefined;
  // The process recovers from a warning: its stack trace would only distract.
  if (error !== undefined)
    parts.push(String(Number(entry.level) < 50 ? error.message : (error.stack ?? error.message)));
  return parts.join('  ').trim();
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

function formatValue(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
}
