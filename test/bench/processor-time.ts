import { readFileSync } from 'node:fs';

/** The kernel counts in ticks of a hundredth of a second. */
const tickUs = 10_000;

/** Processor time, in microseconds, of a process, its threads, its living children and those it has already buried. */
export function processorTimeUs(pid: number): number {
  const text = read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system, buriedUser, buriedSystem] = fields.slice(11, 15).map(Number);
  const own = (user ?? 0) + (system ?? 0) + (buriedUser ?? 0) + (buriedSystem ?? 0);
  return childrenOf(pid).reduce((sum, child) => sum + processorTimeUs(child), own * tickUs);
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Empty for a process that is gone by now. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
