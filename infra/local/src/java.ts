import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, requireProgram } from './programs.ts';

const minMajorVersion = 17;

/** Finds a Java that can run the broker: in JAVA_HOME, on the PATH, or in Debian's /usr/lib/jvm. */
export function findJava(): Promise<string> {
  return requireProgram(findSupportedJava, {
    what: `Java ${minMajorVersion} or later`,
    packages: ['openjdk-17-jre-headless'],
    instead: 'TENANTSCOPE_KAFKA_BROKERS',
  });
}

async function findSupportedJava(): Promise<string | null> {
  const home = process.env.JAVA_HOME;
  for (const java of [home && join(home, 'bin', 'java'), findProgram('java'), ...listDebianJavas()]) {
    if (java && (await readMajorVersion(java)) >= minMajorVersion) return java;
  }
  return null;
}

async function readMajorVersion(java: string): Promise<number> {
  try {
    const { stderr } = await promisify(execFile)(java, ['-version']);
    return Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function listDebianJavas(): string[] {
  try {
    return readdirSync('/usr/lib/jvm').map((name) => join('/usr/lib/jvm', name, 'bin', 'java'));
  } catch {
    return [];
  }
}
