import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory, checkout } from './checkout.ts';
import { findProgram, requireProgram } from './programs.ts';

interface JarSet {
  /** In messages. */
  readonly name: string;
  /** Prefix of the directory in the cache. */
  readonly directory: string;
  /** In infra/local/kafka. */
  readonly pom: string;
  /** The variable that names an external service to use instead. */
  readonly instead: string;
}

/** Returns the directory of the broker's jars. */
export function fetchKafkaJars(): Promise<string> {
  return fetchJars({
    name: 'Apache Kafka',
    directory: 'kafka',
    pom: 'pom.xml',
    instead: 'TENANTSCOPE_KAFKA_BROKERS',
  });
}

/** Returns the directory of the jars of Kafka Connect: 60 MB that only tests of shippers need. */
export function fetchKafkaConnectJars(): Promise<string> {
  return fetchJars({ name: 'Kafka Connect', directory: 'kafka-connect', pom: 'connect-pom.xml', instead: 'PATH' });
}

/** Maven resolves the jars the first time and after each change of the pom. */
async function fetchJars(set: JarSet): Promise<string> {
  const pom = join(checkout, 'infra', 'local', 'kafka', set.pom);
  const fingerprint = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex')
    .slice(0, 12);
  const jars = join(cacheDirectory, `${set.directory}-${fingerprint}`);
  if (existsSync(jars)) return jars;

  const maven = await requireProgram(() => findProgram('mvn'), {
    what: 'Maven (mvn)',
    packages: ['openjdk-17-jre-headless', 'maven'],
    instead: set.instead,
  });
  const unfinished = `${jars}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  console.error(`downloading ${set.name} …`);
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${unfinished}`, '-DincludeScope=runtime'];
  try {
    await promisify(execFile)(maven, ['--batch-mode', '--quiet', '--file', pom, ...goal], { maxBuffer: 1 << 26 });
    await rename(unfinished, jars);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    // Another run may have been faster; its jars are the same.
    if (!existsSync(jars)) throw new Error(`Maven failed to download ${set.name}: ${findFirstError(cause)}`, { cause });
  }
  return jars;
}

function findFirstError(cause: unknown): string {
  const output = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : String(cause);
  return output.split('\n').find((line) => line.includes('ERROR')) ?? output;
}
