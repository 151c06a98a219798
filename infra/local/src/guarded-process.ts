import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

// Waits for a line on its input. The input ends without one when the parent was killed without a chance to clean up: then the process and its
// children are continued (they may be stopped), the process is signalled to end, and killed after ten seconds.
const guardScript = `
  read -r ended && exit
  for status in $(grep -ls "^PPid:[[:space:]]$1\\$" /proc/[0-9]*/status); do kill -CONT "$(basename "\${status%/status}")"; done
  kill -CONT "$1"; kill -s "$2" "$1"
  for tenth in $(seq 100); do kill -0 "$1" || exit; sleep 0.1; done
  kill -KILL "$1"`;

export interface GuardedOptions extends SpawnOptions {
  /** Signal of an orderly stop, sent also when the parent is gone. */
  stopSignal: NodeJS.Signals;
}

/** Starts a process that does not receive the terminal's Ctrl-C and never outlives its parent, even if that is SIGKILLed. */
export function spawnGuarded(command: readonly string[], { stopSignal, ...options }: GuardedOptions): ChildProcess {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { ...options, detached: true });
  child.on('error', () => undefined);
  if (child.pid === undefined) return child;

  const guard = spawn('sh', ['-c', guardScript, 'guard', String(child.pid), stopSignal.slice(3)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  guard.stdin.on('error', () => undefined);
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  child.once('exit', () => guard.stdin.end('ended\n'));
  return child;
}
