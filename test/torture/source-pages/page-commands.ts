import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { productBundle } from '../../installation/processes.ts';

/** A text of the page, and what a reader writes instead of it. */
export type Replacements = Readonly<Record<string, string>>;

export interface CommandOptions {
  readonly replace?: Replacements;
  /** What the reader types. */
  readonly input?: string;
}

/** A page in docs/sources whose commands are run as they are printed, in its order. */
export interface SourcePage {
  /** Where the commands run; also the folder for secrets. */
  readonly directory: string;
  /** Runs the next block of commands, which must contain this text, and returns its output. */
  next(contains: string, options?: CommandOptions): Promise<string>;
  /** The variables that the next block, which must contain this text, exports. */
  nextVariables(contains: string, options?: CommandOptions): Promise<Record<string, string>>;
  /** Leaves out the next block, which must contain this text. */
  skip(contains: string): void;
  /** The values that the page shows for a topic. */
  readonly values: readonly string[];
  /** Commands that were not run yet. */
  left(): readonly string[];
}

const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);

export async function openPage(
  name: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<SourcePage> {
  const page = await readFile(new URL(`../../../docs/sources/${name}`, import.meta.url), 'utf8');
  const blocks = blocksOf(page, 'sh');
  const programs = join(directory, 'bin');
  await mkdir(programs, { recursive: true });
  const program = (await productBundle()).program('cli');
  await writeFile(join(programs, 'tenantscope'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });

  function take(contains: string): string {
    const block = blocks.shift() ?? '';
    if (!block.includes(contains)) throw new Error(`${name}: these commands are not about ${contains}:\n${block}`);
    return block;
  }

  async function runNext(contains: string, more: string, { replace = {}, input = '' }: CommandOptions) {
    const block = take(contains);
    const unused = Object.keys(replace).filter((placeholder) => !block.includes(placeholder));
    if (unused.length > 0) throw new Error(`${name}: these commands lack ${unused.join(', ')}:\n${block}`);
    let script = block.replaceAll('/etc/tenantscope', directory);
    for (const [placeholder, value] of Object.entries(replace)) script = script.replaceAll(placeholder, () => value);
    const child = spawn('bash', ['-euo', 'pipefail', '-c', `${script}\n${more}`], {
      cwd: directory,
      env: { ...environment, PATH: `${programs}${delimiter}${process.env.PATH}` },
    });
    // Commands that read no input may end before it is written; their status says whether they succeeded.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (child.exitCode !== 0) throw new Error(`${name}: status ${child.exitCode}:\n${script}\n${stdout}${stderr}`);
    return stdout;
  }

  return {
    directory,
    values: blocksOf(page, 'json'),
    left: () => blocks,
    skip: (contains) => void take(contains),
    next: (contains, options = {}) => runNext(contains, '', options),
    async nextVariables(contains, options = {}) {
      const shown = await runNext(contains, 'env -0', options);
      const variables = shown.split('\0').map((line): [string, string] => {
        const [variable = ''] = line.split('=', 1);
        return [variable, line.slice(variable.length + 1)];
      });
      return Object.fromEntries(
        variables.filter(([variable]) => environment[variable] === undefined && variable.startsWith('TENANTSCOPE_')),
      );
    },
  };
}

/** A field in the output of a command that creates something. */
export function readField(output: string, field: string): string {
  const value = new RegExp(`^${field}\\s+(\\S+)$`, 'm').exec(output)?.[1];
  if (value === undefined) throw new Error(`no ${field}:\n${output}`);
  return value;
}

/** Creates a key and reads the list of rows, with the last two blocks of the page. */
export async function readRows(
  page: SourcePage,
  tenantId: string,
  baseUrl: string,
): Promise<Record<string, unknown>[]> {
  const secret = readField(await page.next('key create', { replace: { TENANT_ID: tenantId } }), 'secret');
  const replace = { KEY: secret, 'http://127.0.0.1:8080/api/v1': baseUrl };
  const { data } = JSON.parse(await page.next('curl', { replace })) as { data: Record<string, unknown>[] };
  if (page.left().length > 0) throw new Error(`not run:\n${page.left().join('\n')}`);
  return data;
}
