import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process and all that came from it. PostgreSQL gives each backend a session of its own, so a process group is not enough. */
export function tree(pid: number): number[] {
  const children = Map.groupBy(processes(), (other) => parentOf(other) ?? 0);
  const found = [pid];
  for (const member of found) found.push(...(children.get(member) ?? []));
  return found;
}

/** Sends a signal to each process of the tree, parents first; says how many got it. */
export function signalTree(pid: number, signal: NodeJS.Signals): number {
  return tree(pid).filter((member) => send(member, signal)).length;
}

/** Processes of this program whose working directory is this one: what an earlier, killed run left behind. */
export function leftovers(directory: string, program: string): number[] {
  return processes().filter((pid) => {
    const executable = link(`/proc/${pid}/exe`);
    return executable !== null && basename(executable) === program && link(`/proc/${pid}/cwd`) === directory;
  });
}

/** Whether any process works in this directory or below it. */
export function isInhabited(directory: string): boolean {
  return processes().some((pid) => {
    const place = link(`/proc/${pid}/cwd`);
    return place === directory || place?.startsWith(`${directory}/`);
  });
}

/** Ends processes at once and waits until they are gone. */
export async function end(pids: readonly number[]): Promise<void> {
  for (const pid of pids) send(pid, 'SIGKILL');
  while (pids.some(isAlive)) await sleep(10);
}

/** A process for ever: its number is used again one day, number and start time are not. */
export function identityOf(pid: number): string | null {
  const fields = stat(pid);
  return fields === null ? null : `${pid}@${fields[19]}`;
}

export function isAlive(pid: number): boolean {
  const fields = stat(pid);
  return fields !== null && fields[0] !== 'Z';
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function parentOf(pid: number): number | null {
  const fields = stat(pid);
  return fields === null ? null : Number(fields[1]);
}

/** The fields of /proc/PID/stat from the state on; the name before it may hold spaces and brackets. */
function stat(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Null where the process is gone or somebody else's. */
function link(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}
