import { once } from 'node:events';
import { spawnGuarded } from '@tenantscope/local';

/** A shipper that runs until it is disposed. */
export interface ShipperProcess extends AsyncDisposable {
  /** Its output so far, for messages of a failed test. */
  output(): string;
  /** SIGKILL: no chance to write positions. */
  kill(): Promise<void>;
}

export interface ShipperOptions {
  readonly directory: string;
  /** An account without rights, where the test runs as root. */
  readonly uid?: number;
}

const stopTimeoutMs = 20_000;

export function startShipper(command: readonly string[], { directory, uid }: ShipperOptions): ShipperProcess {
  const child = spawnGuarded(command, {
    cwd: directory,
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
    });
  const gone = once(child, 'exit');
  const isUp = () => child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals) => {
    if (!isUp()) return;
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await gone;
    clearTimeout(timer);
  };
  return {
    output: () => output,
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}
