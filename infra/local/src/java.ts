import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, need } from './programs.ts';

const oldestMajor = 17;

/** A Java that can run the broker: JAVA_HOME's, the one on the PATH, or one that Debian keeps beside it. */
export function findJava(): Promise<string> {
  return need(newEnough, {
    what: `Java ${oldestMajor} or later`,
    packages: ['openjdk-17-jre-headless'],
    instead: 'TENANTSCOPE_KAFKA_BROKERS',
  });
}

async function newEnough(): Promise<string | null> {
  const home = process.env.JAVA_HOME;
  for (const java of [home && join(home, 'bin', 'java'), findProgram('java'), ...debianJavas()]) {
    if (java && (await majorOf(java)) >= oldestMajor) return java;
  }
  return null;
}

async function majorOf(java: string): Promise<number> {
  try {
    const { stderr } = await promisify(execFile)(java, ['-version']);
    return Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function debianJavas(): string[] {
  try {
    return readdirSync('/usr/lib/jvm').map((name) => join('/usr/lib/jvm', name, 'bin', 'java'));
  } catch {
    return [];
  }
}
