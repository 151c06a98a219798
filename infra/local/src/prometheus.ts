import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { extractedDirectory, extractPackages } from './extracted-packages.ts';
import { findProgram } from './programs.ts';

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

const name = 'prometheus';

/** Of the PATH, or extracted by an earlier run; null without either. */
export function findPrometheus(): PrometheusPrograms | null {
  const find = (program: string) => {
    const own = join(extractedDirectory(name), 'usr', 'bin', program);
    return findProgram(program) ?? (existsSync(own) ? own : null);
  };
  const [prometheus, promtool] = [find('prometheus'), find('promtool')];
  return prometheus === null || promtool === null ? null : { prometheus, promtool };
}

/** Extracts Debian's package where Prometheus is missing. Its installation would start a service. */
export async function requirePrometheus(): Promise<PrometheusPrograms> {
  const present = findPrometheus();
  if (present !== null) return present;
  const advice = 'Prometheus not found. Add prometheus and promtool to the PATH (Debian: package prometheus).';
  await extractPackages(name, ['prometheus'], advice);
  const programs = findPrometheus();
  if (programs === null) throw new Error(advice);
  return programs;
}
