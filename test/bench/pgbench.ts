import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, requireProgram } from '@tenantscope/local';

/** Finds PostgreSQL's pgbench or installs it where possible; otherwise null. */
export async function findPgbench(): Promise<string | null> {
  const find = (): string | null => {
    const debian = '/usr/lib/postgresql';
    const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
    const newest = versions.map((version) => join(debian, version, 'bin', 'pgbench')).find((file) => existsSync(file));
    return newest ?? findProgram('pgbench');
  };
  return requireProgram(find, { what: 'pgbench', packages: ['postgresql-15'], instead: 'PATH' }).catch(() => null);
}

/** Runs prepared statements, chosen at random, on several connections and fetches all results. Returns transactions per second and mean time. */
export async function runPgbench(
  program: string,
  options: { url: string; statements: readonly string[]; connections: number; durationMs: number },
): Promise<{ perSecond: number; meanMs: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-pgbench-'));
  try {
    const files = await Promise.all(
      options.statements.map(async (statement, index) => {
        const file = join(directory, `${index}.sql`);
        await writeFile(file, `${statement};\n`);
        return file;
      }),
    );
    const args = [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${options.connections}`,
      `--jobs=${Math.min(options.connections, 4)}`,
      `--time=${Math.ceil(options.durationMs / 1_000)}`,
      ...files.flatMap((file) => ['-f', file]),
      options.url,
    ];
    // The planner settings are those of the API login.
    const env = { ...process.env, PGOPTIONS: '-c enable_sort=off' };
    const { stdout } = await promisify(execFile)(program, args, { env });
    return { perSecond: numberIn(stdout, /tps = ([\d.]+)/), meanMs: numberIn(stdout, /latency average = ([\d.]+) ms/) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`unexpected output of pgbench:\n${text}`);
  return Number(found);
}
