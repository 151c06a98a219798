import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kafkaClient } from '@tenantscope/publish';
import { inject } from 'vitest';
import { testDatabase } from '../services/database.ts';

const program = fileURLToPath(new URL('../../apps/cli/bin/tenantscope.mjs', import.meta.url));

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface How {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  readonly directory?: string;
}

/** Starts one command in a process of its own, which sees no variables but those given; `ran` is there when it has ended. */
export function start(words: readonly string[], { environment = {}, directory = tmpdir() }: Omit<How, 'input'> = {}) {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...environment },
  });
  // A command that refuses before it reads closes its end; that is its answer, not the test's failure.
  child.stdin.on('error', () => {});
  const text = async (chunks: Promise<Buffer[]>) => Buffer.concat(await chunks).toString('utf8');
  const [stdout, stderr] = [text(child.stdout.toArray()), text(child.stderr.toArray())];
  const ran = once(child, 'close').then(
    async ([status]): Promise<Ran> => ({ status: status as number | null, stdout: await stdout, stderr: await stderr }),
  );
  return { child, ran };
}

/** Runs one command to its end. */
export function run(words: readonly string[], { input = '', ...how }: How = {}): Promise<Ran> {
  const { child, ran } = start(words, how);
  child.stdin.end(input);
  return ran;
}

export interface CommandLine extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  readonly topic: string;
  /** To arrange what commands cannot. */
  readonly superuser: string;
  readonly directory: string;
  run(...words: string[]): Promise<Ran>;
  /** The one JSON document that a command prints; throws with its words when it fails. */
  json(...words: string[]): Promise<Record<string, unknown>>;
  with(how: How, ...words: string[]): Promise<Ran>;
}

/** Commands on a migrated database and topics of their own. */
export async function commandLine(options: { topics?: boolean } = {}): Promise<CommandLine> {
  const database = await testDatabase();
  const prefix = `cli-${randomBytes(4).toString('hex')}`;
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-cli-'));
  const environment = {
    TENANTSCOPE_OWNER_DATABASE_URL: database.owner,
    TENANTSCOPE_API_DATABASE_URL: database.roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: database.roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: database.roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: database.roles.admin,
    TENANTSCOPE_JOBS_DATABASE_URL: database.roles.jobs,
    TENANTSCOPE_KAFKA_BROKERS: inject('services').kafka,
    TENANTSCOPE_TOPIC_PREFIX: prefix,
  };
  const line: CommandLine = {
    environment,
    directory,
    topic: `${prefix}.raw.activity.v1`,
    superuser: database.superuser,
    run: (...words) => run(words, { environment, directory }),
    with: (how, ...words) => run(words, { environment, directory, ...how }),
    async json(...words) {
      const { status, stdout, stderr } = await run([...words, '--json'], { environment, directory });
      if (status !== 0) throw new Error(`${words.join(' ')}: ${status}: ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true });
      await database[Symbol.asyncDispose]();
    },
  };
  if (options.topics ?? false) await line.json('migrate');
  return line;
}

export const kafka = () => kafkaClient({ brokers: inject('services').kafka, clientId: 'cli test' });

export interface Taken {
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** All messages of a topic, in the order of their offsets in each partition. */
export async function messagesOf(topic: string): Promise<Taken[]> {
  const admin = kafka().admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const expected = offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  const taken: Taken[] = [];
  if (expected === 0) return taken;
  const consumer = kafka().consumer({ groupId: `reader-${randomBytes(6).toString('hex')}` });
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message: { key, value, headers = {} } }) => {
      const named = Object.entries(headers).map(([name, bytes]) => [name, String(bytes)]);
      taken.push({ key: key === null ? null : String(key), value, headers: Object.fromEntries(named) });
      if (taken.length === expected) resolve();
    },
  });
  await complete;
  await consumer.disconnect();
  return taken;
}
