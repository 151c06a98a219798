import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort, spawnGuarded } from '@tenantscope/local';
import { type GoPrograms, provideGoPrograms } from './go-programs.ts';

const execute = promisify(execFile);

const programs: GoPrograms = {
  name: 'kubernetes',
  pins: 'kubernetes',
  packages: {
    etcd: 'go.etcd.io/etcd/server/v3',
    'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
    kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  },
  listLinkerValues: (module) => {
    const [, version, minor] = /k8s\.io\/kubernetes (v1\.(\d+)\.\d+)/.exec(module) ?? [];
    if (!version) throw new Error('go.mod does not pin Kubernetes');
    const values = [`gitVersion=${version}`, 'gitMajor=1', `gitMinor=${minor}`, 'gitTreeState=clean'];
    return values.map((value) => `k8s.io/component-base/version.${value}`);
  },
  buildTimeoutMs: 3_600_000,
};

/** The programs of `kubernetes/go.mod`, or the reason why there are none. */
export const provideKubernetes = (options: { build: boolean }) => provideGoPrograms(programs, options);

/** An API server and its store on loopback. There are no controllers, no scheduler and no kubelet: objects are checked, admitted and stored. */
export interface Cluster extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly kubectl: string;
}

/** Programs that have not ended; stopped in reverse order. */
type Running = ReturnType<typeof spawnGuarded>[];

export async function startCluster(directory: string): Promise<Cluster> {
  const work = await mkdtemp(join(tmpdir(), 'tenantscope-cluster-'));
  const running: Running = [];
  const start = (program: string, args: readonly string[]) => {
    const log = openSync(join(work, `${program}.log`), 'a');
    const command = [join(directory, program), ...args];
    running.push(spawnGuarded(command, { stopSignal: 'SIGTERM', stdio: ['ignore', log, log] }));
  };
  const stop = async () => {
    for (const child of running.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(work, { recursive: true, force: true });
  };
  try {
    const store = await startStore(work, start);
    const kubeconfig = await startApiServer(work, store, start);
    const kubectl = join(directory, 'kubectl');
    const isReady = () =>
      execute(kubectl, ['--kubeconfig', kubeconfig, 'get', '--raw', '/readyz']).then(
        () => true,
        () => false,
      );
    await waitUntilReady(isReady, () => readLogEnd(join(work, 'kube-apiserver.log')));
    return { kubeconfig, kubectl, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Start = (program: string, args: readonly string[]) => void;

async function startStore(work: string, start: Start): Promise<string> {
  const client = `http://127.0.0.1:${await findFreePort()}`;
  const peer = `http://127.0.0.1:${await findFreePort()}`;
  start('etcd', [
    ...['--data-dir', join(work, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ]);
  return client;
}

/** Starts the API server; returns the path of the configuration of an administrator. */
async function startApiServer(work: string, store: string, start: Start): Promise<string> {
  const port = await findFreePort();
  const key = join(work, 'service-accounts.key');
  await execute('openssl', ['genrsa', '-out', key, '2048']);
  const token = 'administrator-of-the-test';
  await writeFile(join(work, 'tokens.csv'), `${token},administrator,1,"system:masters"\n`);
  const certificates = join(work, 'certificates');
  await mkdir(certificates);
  start('kube-apiserver', [
    ...['--etcd-servers', store, '--bind-address', '127.0.0.1', '--secure-port', String(port)],
    ...['--cert-dir', certificates, '--token-auth-file', join(work, 'tokens.csv')],
    ...['--authorization-mode', 'RBAC', '--service-cluster-ip-range', '10.96.0.0/16'],
    ...['--service-account-issuer', 'https://cluster.example', '--service-account-key-file', key],
    ...['--service-account-signing-key-file', key, '--advertise-address', '127.0.0.1'],
  ]);
  const kubeconfig = join(work, 'kubeconfig');
  const settings = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: {
          server: `https://127.0.0.1:${port}`,
          'certificate-authority': join(certificates, 'apiserver.crt'),
        },
      },
    ],
    users: [{ name: 'administrator', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'administrator' } }],
    'current-context': 'test',
  };
  await writeFile(kubeconfig, JSON.stringify(settings), { mode: 0o600 });
  return kubeconfig;
}

const startTimeoutMs = 180_000;

async function waitUntilReady(isReady: () => Promise<boolean>, readReason: () => string): Promise<void> {
  const end = performance.now() + startTimeoutMs;
  while (!(await isReady())) {
    if (performance.now() > end) throw new Error(`the API server does not start: ${readReason()}`);
    await sleep(500);
  }
}

function readLogEnd(file: string): string {
  return readFileSync(file, 'utf8').slice(-2_000);
}
