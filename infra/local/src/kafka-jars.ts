import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory, checkout } from './checkout.ts';
import { findProgram, requireProgram } from './programs.ts';

const pom = join(checkout, 'infra', 'local', 'kafka', 'pom.xml');

/** Returns the directory of the broker's jars. Maven resolves them the first time and after each change of the pom. */
export async function fetchKafkaJars(): Promise<string> {
  const fingerprint = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex')
    .slice(0, 12);
  const jars = join(cacheDirectory, `kafka-${fingerprint}`);
  if (existsSync(jars)) return jars;

  const maven = await requireProgram(() => findProgram('mvn'), {
    what: 'Maven (mvn)',
    packages: ['openjdk-17-jre-headless', 'maven'],
    instead: 'TENANTSCOPE_KAFKA_BROKERS',
  });
  const unfinished = `${jars}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  console.error('downloading Apache Kafka …');
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${unfinished}`, '-DincludeScope=runtime'];
  try {
    await promisify(execFile)(maven, ['--batch-mode', '--quiet', '--file', pom, ...goal], { maxBuffer: 1 << 26 });
    await rename(unfinished, jars);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    // Another run may have been faster; its jars are the same.
    if (!existsSync(jars))
      throw new Error(`Maven failed to download Apache Kafka: ${findFirstError(cause)}`, { cause });
  }
  return jars;
}

function findFirstError(cause: unknown): string {
  const output = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : String(cause);
  return output.split('\n').find((line) => line.includes('ERROR')) ?? output;
}
