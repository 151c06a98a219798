import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';

/** Downloads packages of npm once, that no other test needs, without their scripts; returns their `node_modules`. */
export async function fetchPackages(name: string, packages: readonly string[]): Promise<string> {
  const cached = join(checkout, '.tenantscope', 'cache', name);
  const folder = join(cached, 'node_modules');
  if (existsSync(cached)) return folder;
  const unfinished = `${cached}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    const options = ['--prefix', unfinished, '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
    await promisify(execFile)('npm', ['install', ...options, ...packages]);
    await rename(unfinished, cached);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
