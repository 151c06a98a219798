import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from './checkout.ts';
import { downloadPackage, findProgram } from './programs.ts';

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

const execute = promisify(execFile);
const extracted = join(cacheDirectory, 'prometheus');

/** Of the PATH, or extracted by an earlier run; null without either. */
export function findPrometheus(): PrometheusPrograms | null {
  const find = (name: string) => {
    const own = join(extracted, 'usr', 'bin', name);
    return findProgram(name) ?? (existsSync(own) ? own : null);
  };
  const [prometheus, promtool] = [find('prometheus'), find('promtool')];
  return prometheus === null || promtool === null ? null : { prometheus, promtool };
}

/** Extracts Debian's package where Prometheus is missing. Its installation would start a service. */
export async function requirePrometheus(): Promise<PrometheusPrograms> {
  const present = findPrometheus();
  if (present !== null) return present;
  const advice = 'Prometheus not found. Add prometheus and promtool to the PATH (Debian: package prometheus).';
  if (!existsSync('/etc/debian_version')) throw new Error(advice);
  await mkdir(cacheDirectory, { recursive: true });
  const work = await mkdtemp(join(cacheDirectory, 'prometheus-'));
  try {
    await downloadPackage('prometheus', work);
    const [archive = ''] = (await readdir(work)).filter((name) => name.endsWith('.deb'));
    const files = join(work, 'files');
    await execute('dpkg-deb', ['--extract', join(work, archive), files]);
    // Another process of the run may have been faster.
    await rename(files, extracted).catch(() => undefined);
  } catch (cause) {
    throw new Error(advice, { cause });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const programs = findPrometheus();
  if (programs === null) throw new Error(advice);
  return programs;
}
