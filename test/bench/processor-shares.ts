import { readFileSync } from 'node:fs';
import { listProcessorTimes, machineProcessorTimeUs } from './processor-time.ts';

/** Whose work it is, by the command line. */
const groups = [
  ['api', /tenantscope-bundle\/\w+\/api\b/],
  ['ingest', /tenantscope-bundle\/\w+\/ingest\b/],
  ['PostgreSQL for the api', /^postgres: (tenantscope_api|tenantscope_keys) /],
  ['other PostgreSQL', /postgres/],
  ['Kafka', /kafka/],
  ['control', /processor-load/],
] as const;
type Group = (typeof groups)[number][0] | 'load';
export const processorGroups: readonly Group[] = [...groups.map(([name]) => name), 'load'];

export interface ProcessorShares {
  /** Processors taken, by the processes of the benchmark; `load` are its clients, producers and the rest. */
  readonly taken: Readonly<Partial<Record<Group, number>>>;
  /** Processors that all other processes of the machine took. */
  readonly otherWork: number;
  /** Share of the time in which at least one thread waited for a processor; null where the kernel does not measure it. */
  readonly waiting: number | null;
}

/** Returns who took the processors since then. */
export function watchProcessors(): () => ProcessorShares {
  const before = readTimes();
  return () => {
    const now = readTimes();
    const elapsedUs = now.atUs - before.atUs;
    const taken: Partial<Record<Group, number>> = {};
    let ownUs = 0;
    for (const [pid, { us, command }] of now.processes) {
      const takenUs = us - (before.processes.get(pid)?.us ?? 0);
      const group = groups.find(([, pattern]) => pattern.test(command))?.[0] ?? 'load';
      taken[group] = (taken[group] ?? 0) + takenUs / elapsedUs;
      ownUs += takenUs;
    }
    return {
      taken,
      otherWork: Math.max(0, now.machineUs - before.machineUs - ownUs) / elapsedUs,
      waiting:
        now.waitingUs === null || before.waitingUs === null ? null : (now.waitingUs - before.waitingUs) / elapsedUs,
    };
  };
}

const readTimes = () => ({
  atUs: performance.now() * 1_000,
  processes: listProcessorTimes(process.pid),
  machineUs: machineProcessorTimeUs(),
  waitingUs: readWaitingUs(),
});

/** Pressure stall information of Linux. */
function readWaitingUs(): number | null {
  try {
    const total = /^some .*total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'latin1'))?.[1];
    return total === undefined ? null : Number(total);
  } catch {
    return null;
  }
}
