import { execFile } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { findProgram, spawnGuarded } from '@tenantscope/local';

const execute = promisify(execFile);
const ip = (...args: string[]) => execute('ip', args);

/** A host of its own: a network namespace with one address. All its processes are killed and suspended together. */
export interface NetworkHost {
  readonly name: string;
  readonly address: string;
  /** Starts a program on the host, as a user, with its output in a file. */
  start(command: readonly string[], options: HostProcessOptions): void;
  pids(program?: string): Promise<number[]>;
  /** To all processes, or those whose executable has this name. */
  signal(signal: NodeJS.Signals, program?: string): Promise<void>;
  /** The host no longer reaches the others. Connections stay open on both sides. */
  disconnect(others: readonly string[]): Promise<void>;
  reconnect(others: readonly string[]): Promise<void>;
}

export interface HostProcessOptions {
  readonly user: { readonly uid: number; readonly gid: number };
  readonly directory: string;
  readonly logFile: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface HostNetwork extends AsyncDisposable {
  /** Of this machine in the network. */
  readonly address: string;
  readonly hosts: readonly NetworkHost[];
}

/** Why this machine permits no network namespaces; null where it does. */
export async function findNetworkProblem(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  if (findProgram('ip') === null || findProgram('setpriv') === null) return 'the programs ip and setpriv are missing';
  const name = `ts${process.pid}probe`;
  try {
    await ip('netns', 'add', name);
    await ip('netns', 'del', name);
    return null;
  } catch (error) {
    return `no network namespace can be created: ${(error as { stderr?: string }).stderr?.trim()}`;
  }
}

/** Hosts on a network of their own, which this machine reaches too. */
export async function createHostNetwork(names: readonly string[]): Promise<HostNetwork> {
  await removeLeftovers();
  await using stack = new AsyncDisposableStack();
  // The name of an interface has at most 15 characters.
  const prefix = `ts${process.pid}`;
  const network = `10.${100 + (process.pid % 100)}.${(process.pid >> 7) % 250}`;
  const bridge = `${prefix}-br`;
  await ip('link', 'add', bridge, 'type', 'bridge');
  stack.defer(async () => void (await ip('link', 'del', bridge)));
  await ip('address', 'add', `${network}.1/24`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
  stack.use(await permitForwarding(bridge));
  const hosts: NetworkHost[] = [];
  for (const [index, name] of names.entries()) {
    const space = `${prefix}-${index}`;
    const address = `${network}.${10 + index}`;
    await ip('netns', 'add', space);
    const host = createHost(space, { name, address });
    stack.defer(() => removeSpace(space));
    await ip('link', 'add', `${space}a`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    await ip('link', 'set', `${space}a`, 'master', bridge, 'up');
    await ip('-n', space, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) await ip('-n', space, 'link', 'set', device, 'up');
    hosts.push(host);
  }
  const owned = stack.move();
  return { address: `${network}.1`, hosts, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Once Docker's engine has run on a machine, its rules drop what bridges forward. */
async function permitForwarding(bridge: string): Promise<AsyncDisposable> {
  const change = (how: '-I' | '-D') => execute('iptables', [how, 'FORWARD', '-i', bridge, '-j', 'ACCEPT']);
  const isPermitted =
    findProgram('iptables') !== null &&
    (await change('-I')
      .then(() => true)
      .catch(() => false));
  return {
    async [Symbol.asyncDispose]() {
      if (isPermitted) await change('-D').catch(() => {});
    },
  };
}

function createHost(space: string, host: Pick<NetworkHost, 'name' | 'address'>): NetworkHost {
  const pids = async (program?: string) => {
    const { stdout } = await execute('ip', ['netns', 'pids', space]);
    const all = stdout.split('\n').filter(Boolean);
    if (program === undefined) return all.map(Number);
    const { stdout: named } = await execute('ps', ['-o', 'pid=,comm=', '-p', all.join(',')]).catch(() => ({
      stdout: '',
    }));
    return named
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, name]) => name === program)
      .map(([pid]) => Number(pid));
  };
  return {
    ...host,
    pids,
    start(command, { user, directory, logFile, env }) {
      const log = openSync(logFile, 'a', 0o600);
      const as = ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
      const child = spawnGuarded(['ip', 'netns', 'exec', space, ...as, ...command], {
        cwd: directory,
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', log, log],
        stopSignal: 'SIGTERM',
      });
      child.unref();
      closeSync(log);
    },
    async signal(signal, program) {
      // Repeated until no process is new: one may have been in the middle of a fork.
      const sent = new Set<number>();
      for (let before = -1; before !== sent.size; ) {
        before = sent.size;
        for (const pid of await pids(program)) {
          if (sent.has(pid)) continue;
          sent.add(pid);
          sendSignal(pid, signal);
        }
      }
    },
    async disconnect(others) {
      for (const other of others) await ip('-n', space, 'route', 'replace', 'blackhole', `${other}/32`);
    },
    async reconnect(others) {
      for (const other of others) await ip('-n', space, 'route', 'del', 'blackhole', `${other}/32`).catch(() => {});
    },
  };
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function removeSpace(space: string): Promise<void> {
  const { stdout } = await execute('ip', ['netns', 'pids', space]);
  for (const pid of stdout.split('\n').filter(Boolean)) sendSignal(Number(pid), 'SIGKILL');
  await ip('netns', 'del', space);
}

/** Of runs that were killed. */
async function removeLeftovers(): Promise<void> {
  const isLeft = (name: string) => {
    const pid = /^ts(\d+)-/.exec(name)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  };
  const { stdout: spaces } = await ip('netns', 'list');
  for (const name of spaces.split('\n').map((line) => line.split(' ')[0] ?? ''))
    if (isLeft(name)) await removeSpace(name);
  const { stdout: bridges } = await ip('-o', 'link', 'show', 'type', 'bridge');
  for (const line of bridges.split('\n')) {
    const name = line.split(': ')[1] ?? '';
    if (isLeft(name)) await ip('link', 'del', name);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
