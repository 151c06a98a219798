import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';

/** The machine of a measurement. Only ratios within one run are comparable, not numbers of two machines. */
export interface Machine {
  processor: string;
  cores: number;
  memoryGiB: number;
  kernel: string;
  node: string;
  postgres: string;
  kafka: string;
  commit: string;
  /** One-minute load average before and after the benchmark: it shows what else was running. */
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
    loadAfter: readLoadAverage(),
  };
}

export function readLoadAverage(): number {
  return Math.round((os.loadavg()[0] ?? 0) * 10) / 10;
}

async function kafkaVersion(): Promise<string> {
  const pom = await readFile(`${checkout}/infra/local/kafka/pom.xml`, 'utf8');
  return /<artifactId>kafka_[^<]*<\/artifactId>\s*<version>(.+?)</.exec(pom)?.[1] ?? 'unknown';
}

async function commit(): Promise<string> {
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: checkout });
  try {
    const { stdout: name } = await git('rev-parse', '--short', 'HEAD');
    const { stdout: changes } = await git('status', '--porcelain', 'apps', 'packages', 'migrations');
    return name.trim() + (changes === '' ? '' : ', with changes');
  } catch {
    return 'unknown';
  }
}
