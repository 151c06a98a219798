import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process and its descendants. PostgreSQL starts each backend in a session of its own, so a process group is not enough. */
export function listProcessTree(pid: number): number[] {
  const children = Map.groupBy(listProcesses(), (other) => readParentPid(other) ?? 0);
  const found = [pid];
  for (const member of found) found.push(...(children.get(member) ?? []));
  return found;
}

/** Sends a signal to each process of the tree, parents first. Returns how many received it. */
export function signalTree(pid: number, signal: NodeJS.Signals): number {
  return listProcessTree(pid).filter((member) => sendSignal(member, signal)).length;
}

/** Processes of this program in this working directory: leftovers of an earlier run that was killed. */
export function findLeftoverProcesses(directory: string, program: string): number[] {
  return listProcesses().filter((pid) => {
    const executable = readLink(`/proc/${pid}/exe`);
    return executable !== null && basename(executable) === program && readLink(`/proc/${pid}/cwd`) === directory;
  });
}

/** Whether any process has its working directory here or below. */
export function isDirectoryInUse(directory: string): boolean {
  return listProcesses().some((pid) => {
    const current = readLink(`/proc/${pid}/cwd`);
    return current === directory || current?.startsWith(`${directory}/`);
  });
}

/** Kills processes and waits until they are gone. */
export async function killProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) sendSignal(pid, 'SIGKILL');
  while (pids.some(isProcessAlive)) await sleep(10);
}

/** Pid and start time, which together are never reused. */
export function readProcessIdentity(pid: number): string | null {
  const fields = readStat(pid);
  return fields === null ? null : `${pid}@${fields[19]}`;
}

export function isProcessAlive(pid: number): boolean {
  const fields = readStat(pid);
  return fields !== null && fields[0] !== 'Z';
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function readParentPid(pid: number): number | null {
  const fields = readStat(pid);
  return fields === null ? null : Number(fields[1]);
}

/** The fields of /proc/PID/stat from the state on; the name before it may contain spaces and brackets. */
function readStat(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Null if the process is gone or belongs to another user. */
function readLink(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}

function listProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}
