import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';

export interface BuildTime {
  /** Commit, or null outside of a repository. */
  readonly revision: string | null;
  readonly epochSeconds: number;
}

/** The commit and its time, which a build uses instead of the clock; outside of a repository the time is that of SOURCE_DATE_EPOCH. */
export async function readBuildTime(): Promise<BuildTime> {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  if (epoch) return { revision: process.env.REVISION || null, epochSeconds: Number(epoch) };
  const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%H %ct'], { cwd: checkout }).catch(() => {
    throw new Error(
      'The time of the build is unknown: run in a Git checkout or set SOURCE_DATE_EPOCH to seconds since 1970.',
    );
  });
  const [revision = '', seconds] = stdout.trim().split(' ');
  return { revision, epochSeconds: Number(seconds) };
}
