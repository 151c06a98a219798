import { readFileSync } from 'node:fs';

/** The kernel counts in ticks of a hundredth of a second. */
const tickUs = 10_000;

/** Processor time, in microseconds, of a process, its threads, its living children and those it has already buried. */
export function processorTimeUs(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + processorTimeUs(child), timeUs(pid));
}

/** The same of this process and of the children it has buried, but not of those that live: they are what it measures. */
export function ownTimeUs(): number {
  return timeUs(process.pid);
}

function timeUs(pid: number): number {
  const text = read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickUs, 0);
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
