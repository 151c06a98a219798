import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';

/** What a measurement was taken on. Numbers of two machines are not comparable; ratios of one run are. */
export interface Machine {
  processor: string;
  cores: number;
  memoryGiB: number;
  kernel: string;
  node: string;
  postgres: string;
  kafka: string;
  commit: string;
  /** One-minute load before the bench began and after it ended: what else was running shows here. */
  loadBefore: number;
  loadAfter: number;
}

export async function describeMachine(postgres: string, loadBefore: number): Promise<Machine> {
  return {
    processor: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    kernel: `${os.type()} ${os.release()}`,
    node: process.version,
    postgres,
    kafka: await kafkaVersion(),
    commit: await commit(),
    loadBefore,
    loadAfter: load(),
  };
}

export function load(): number {
  return Math.round((os.loadavg()[0] ?? 0) * 10) / 10;
}

async function kafkaVersion(): Promise<string> {
  const pom = await readFile(`${checkout}/infra/local/kafka/pom.xml`, 'utf8');
  return /<artifactId>kafka_[^<]*<\/artifactId>\s*<version>(.+?)</.exec(pom)?.[1] ?? 'unknown';
}

async function commit(): Promise<string> {
  const git = (...words: string[]) => promisify(execFile)('git', words, { cwd: checkout });
  try {
    const { stdout: name } = await git('rev-parse', '--short', 'HEAD');
    const { stdout: changes } = await git('status', '--porcelain', 'apps', 'packages', 'migrations');
    return name.trim() + (changes === '' ? '' : ', with changes');
  } catch {
    return 'unknown';
  }
}
