import { readFileSync } from 'node:fs';

/** The kernel counts in ticks of 10 ms. */
const tickUs = 10_000;

/** Processor time in microseconds of a process, its threads, its running children and its ended children. */
export function processorTimeUs(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + processorTimeUs(child), timeUs(pid));
}

/** By process: the same without running children, and the command line. */
export function listProcessorTimes(pid: number): Map<number, { us: number; command: string }> {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  const times = new Map([[pid, { us: timeUs(pid), command }]]);
  for (const child of childrenOf(pid)) for (const [one, time] of listProcessorTimes(child)) times.set(one, time);
  return times;
}

/** The same for this process and its ended children, without running children: they are what is measured. */
export function ownProcessorTimeUs(): number {
  return timeUs(process.pid);
}

/** Of the whole machine, without interrupts. */
export function machineProcessorTimeUs(): number {
  const [, user, nice, system] = read('/proc/stat').split(/ +/, 4);
  return (Number(user) + Number(nice) + Number(system)) * tickUs;
}

function timeUs(pid: number): number {
  const text = read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickUs, 0);
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Empty when the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
