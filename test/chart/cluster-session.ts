import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';
import { eventually } from '../installation/eventually.ts';
import type { Cluster } from './cluster.ts';
import type { KubernetesObject, Specification } from './rendered-chart.ts';

const execute = promisify(execFile);

export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** A terminal of an operator: a directory like the checkout, with kubectl and Helm. */
export interface ClusterSession extends AsyncDisposable {
  readonly directory: string;
  /** Executes commands in one shell that ends at the first failure. */
  run(commands: string, input?: string): Promise<Outcome>;
  /** As `run`; throws if a command fails. */
  succeed(commands: string, input?: string): Promise<string>;
  read(...args: readonly string[]): Promise<Specification>;
}

export async function openSession(cluster: Cluster, helm: string): Promise<ClusterSession> {
  const home = await mkdtemp(join(tmpdir(), 'tenantscope-operator-'));
  const [bin, directory, kubeconfig] = [join(home, 'bin'), join(home, 'checkout'), join(home, 'kubeconfig')];
  await mkdir(bin);
  await mkdir(directory);
  await symlink(cluster.kubectl, join(bin, 'kubectl'));
  await symlink(helm, join(bin, 'helm'));
  await symlink(join(checkout, 'infra'), join(directory, 'infra'));
  // Its own, because commands change the current namespace.
  await writeFile(kubeconfig, await readFile(cluster.kubeconfig), { mode: 0o600 });
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, HOME: home, KUBECONFIG: kubeconfig };
  const run: ClusterSession['run'] = async (commands, input = '') => {
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', commands], { cwd: directory, env });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const texts = Promise.all([child.stdout, child.stderr].map((stream) => stream.toArray()));
    const [status] = await once(child, 'close');
    return { status, output: Buffer.concat((await texts).flat()).toString('utf8') };
  };
  return {
    directory,
    run,
    async succeed(commands, input) {
      const { status, output } = await run(commands, input);
      if (status !== 0) throw new Error(`${commands}\nended with ${status}: ${output}`);
      return output;
    },
    async read(...args) {
      const options = { env, maxBuffer: 1 << 26 };
      const { stdout } = await execute(cluster.kubectl, ['get', ...args, '--output', 'json'], options);
      return JSON.parse(stdout);
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

export const readPage = () => readFile(join(checkout, 'docs', 'operations', 'kubernetes.md'), 'utf8');

/** The commands of a section of the page: its first block with the given text. */
export async function readCommands(section: string, containing = ''): Promise<string> {
  const sections = (await readPage()).split(/^#+ /m);
  const text = sections.find((each) => each.startsWith(`${section}\n`)) ?? '';
  const blocks = [...text.matchAll(/```sh[^\n]*\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const block = blocks.find((each) => each.includes(containing));
  if (block === undefined) throw new Error(`the section "${section}" has no such commands`);
  return block;
}

export interface Migration extends Outcome {
  /** The identity of its Job. */
  readonly uid: string;
}

/** Executes commands that start a migration, and acts as the Job controller: creates its pod and reports how it ended. */
export async function migrate(
  session: ClusterSession,
  commands: string,
  result: 'Complete' | 'Failed',
  whileRunning: () => Promise<void> = async () => undefined,
): Promise<Migration> {
  let ended: Outcome | undefined;
  const running = session.run(commands).then((outcome) => {
    ended = outcome;
    return outcome;
  });
  let job: Specification;
  await eventually('a migration without an outcome', 20_000, async () => {
    if (ended !== undefined) throw new Error(`the commands ended with ${ended.status}: ${ended.output}`);
    job = await session.read('job', 'tenantscope-migrate');
    return job.status.conditions === undefined;
  });
  await createPod(session, job);
  await whileRunning();
  const patch = JSON.stringify({ status: describeStatus(result) });
  await session.succeed(
    'kubectl patch job tenantscope-migrate --subresource=status --type=merge --patch "$(cat)"',
    patch,
  );
  return { ...(await running), uid: job.metadata.uid };
}

function describeStatus(result: 'Complete' | 'Failed') {
  const at = new Date().toISOString().replace(/\.\d+/, '');
  const conditions = [result === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', result].map((type) => ({
    ...{ type, status: 'True', reason: 'Test', message: '' },
    ...{ lastProbeTime: at, lastTransitionTime: at },
  }));
  return {
    ...{ startTime: at, conditions },
    ...(result === 'Complete' ? { succeeded: 1, completionTime: at } : { failed: 1 }),
  };
}

/** Acts as a controller: creates a pod of the template, which the API server admits or refuses. */
export async function createPod(
  session: ClusterSession,
  { metadata, spec: { template, volumeClaimTemplates = [] } }: KubernetesObject,
  flags = '',
): Promise<void> {
  const claims = volumeClaimTemplates.map(({ metadata: { name } }: KubernetesObject) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${metadata.name}-0` },
  }));
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, generateName: `${metadata.name}-` },
    spec: { ...template.spec, volumes: [...template.spec.volumes, ...claims] },
  };
  const output = await session.succeed(`kubectl create --validate=strict ${flags} --filename=-`, JSON.stringify(pod));
  if (/warning/i.test(output)) throw new Error(output);
}
