import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { DatabaseUrls } from '@tenantscope/local';
import { createKafkaClient } from '@tenantscope/publish';
import { inject } from 'vitest';
import { productBundle } from '../installation/processes.ts';
import { createTestDatabase } from '../services/database.ts';

/** The file that Node.js runs. */
export const program = (await productBundle()).program('cli');

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  readonly directory?: string;
  /** A file descriptor that receives the output instead of the result. */
  readonly output?: number;
}

/** Starts one command in its own process with only the given variables; `ran` resolves when it has ended. */
export function start(
  args: readonly string[],
  { environment = {}, directory = tmpdir(), output }: Omit<RunOptions, 'input'> = {},
) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', output ?? 'pipe', 'pipe'],
  });
  const { stdin } = child;
  if (stdin === null) throw new Error('the command has no input');
  // A command that fails before it reads closes its input; the test does not fail on that.
  stdin.on('error', () => {});
  const text = async (stream: Readable | null) => Buffer.concat((await stream?.toArray()) ?? []).toString('utf8');
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const ran = once(child, 'close').then(
    async ([status]): Promise<CommandResult> => ({
      status: status as number | null,
      stdout: await stdout,
      stderr: await stderr,
    }),
  );
  return { child: Object.assign(child, { stdin }), ran };
}

/** Runs one command to its end. */
export function run(args: readonly string[], { input = '', ...options }: RunOptions = {}): Promise<CommandResult> {
  const { child, ran } = start(args, options);
  child.stdin.end(input);
  return ran;
}

export interface CommandLine extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  readonly topic: string;
  /** For setup that commands cannot do. */
  readonly superuser: string;
  readonly directory: string;
  run(...args: string[]): Promise<CommandResult>;
  /** The JSON document that a command prints; throws with its error output when it fails. */
  json(...args: string[]): Promise<Record<string, unknown>>;
  with(how: RunOptions, ...args: string[]): Promise<CommandResult>;
}

/** The variables of commands, with a database of both schemas. */
export function commandEnvironment({ owner, roles }: DatabaseUrls, topicPrefix: string) {
  return {
    TENANTSCOPE_OWNER_DATABASE_URL: owner,
    TENANTSCOPE_API_DATABASE_URL: roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: roles.keys,
    TENANTSCOPE_INGEST_DATABASE_URL: roles.ingest,
    TENANTSCOPE_ADMIN_DATABASE_URL: roles.admin,
    TENANTSCOPE_CONSOLE_DATABASE_URL: roles.console,
    TENANTSCOPE_JOBS_DATABASE_URL: roles.jobs,
    TENANTSCOPE_COLLECT_DATABASE_URL: roles.collect,
    TENANTSCOPE_KAFKA_BROKERS: inject('services').kafka,
    TENANTSCOPE_TOPIC_PREFIX: topicPrefix,
  };
}

/** Commands on a migrated database with its own topics. */
export async function createCommandLine(options: { topics?: boolean } = {}): Promise<CommandLine> {
  const database = await createTestDatabase();
  const prefix = `cli-${randomBytes(4).toString('hex')}`;
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-cli-'));
  const environment = commandEnvironment(database, prefix);
  const line: CommandLine = {
    environment,
    directory,
    topic: `${prefix}.raw.activity.v1`,
    superuser: database.superuser,
    run: (...args) => run(args, { environment, directory }),
    with: (how, ...args) => run(args, { environment, directory, ...how }),
    async json(...args) {
      const { status, stdout, stderr } = await run([...args, '--json'], { environment, directory });
      if (status !== 0) throw new Error(`${args.join(' ')}: ${status}: ${stderr}`);
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

export const kafka = () => createKafkaClient({ brokers: inject('services').kafka, clientId: 'cli test' });

export interface TopicMessage {
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** All messages of a topic, in the order of their offsets in each partition. */
export async function readTopic(topic: string): Promise<TopicMessage[]> {
  const admin = kafka().admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const expected = offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  const taken: TopicMessage[] = [];
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
