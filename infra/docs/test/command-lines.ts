import { Writable } from 'node:stream';
import { declareProgram } from '@tenantscope/cli/program';

const program = declareProgram(async () => {}, { out: new Writable(), err: new Writable() });

/** What a command line names that the CLI does not have, or the options that a line with options lacks; null for a complete one. */
export function findUnknownCommand(line: string): string | null {
  let command: ReturnType<typeof declareProgram> = program;
  const [, ...parts] = line.match(/"[^"]*"|\S+/g) ?? [];
  while (parts.length > 0) {
    const next = command.commands.find((one) => one.name() === parts[0]);
    if (next === undefined) break;
    command = next;
    parts.shift();
  }
  if (command === program || command.commands.length > 0) return line;
  const options = parts.filter((part) => part.startsWith('--'));
  const unknown = options.find((part) => !command.options.some(({ long }) => long === part));
  const missing = command.options.find(({ long, mandatory }) => mandatory && !options.includes(long ?? ''));
  return unknown ?? (options.length > 0 && missing ? `${line}: ${missing.long} is missing` : null);
}

/** A group of commands, such as `tenantscope lanes`. */
export const isCommandGroup = (line: string): boolean => {
  const [, name, ...others] = line.split(/\s+/);
  return others.length === 0 && program.commands.some((one) => one.name() === name && one.commands.length > 0);
};

const starts = [
  /`(?:npx )?tenantscope (?=[a-z])([^`\n]+)`/g,
  /^\s*(?:npx )?tenantscope (?=[a-z])(.+)$/gm,
  /\bnpx tenantscope (?=[a-z])((?:[^`'"“”<\n]|"[^"\n]*")+)/g,
  /"tenantscope (?=[a-z])([^"\n]+)"/g,
  /\brun --rm (?:-T |--no-deps |--volume \S+ )*(?:cli|migrate|kafka-acls) (?=[a-z])([^`'"\n]+)/g,
  /\btenantscope:\d+\.\d+\.\d+ (?=init|cell)([^`\n]+)/g,
];

/** The command lines of the CLI in a document or a source file, each beginning with `tenantscope`. A value that is left out (…) stays. */
export function listCommandLines(text: string): string[] {
  const joined = text.replace(/\\\n\s*/g, '');
  return starts
    .flatMap((pattern) => [...joined.matchAll(pattern)])
    .map(([, rest = '']) => rest.split(/ [<>|#]|>>|;|&&|\$\{|\\/)[0] ?? '')
    .map((rest) => `tenantscope ${rest.trim().replace(/[.,:)]+$/, '')}`);
}
