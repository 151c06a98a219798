import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '@tenantscope/local';
import { run } from '../cli/command-line.ts';
import type { RenderedPod, Specification } from './rendered-chart.ts';

/** The keys of a Secret and the files of `tenantscope init` that contain their values. */
export type DocumentedSecrets = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A block of docs/operations/kubernetes.md by its language and name. */
export async function readBlock(name: string): Promise<string> {
  const page = await readFile(join(checkout, 'docs', 'operations', 'kubernetes.md'), 'utf8');
  const [, block] = new RegExp(`\`\`\`${name}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  if (block === undefined) throw new Error(`the page has no block ${name}`);
  return block;
}

/** The Secrets that the commands of docs/operations/kubernetes.md create: of the section Secrets, or of a further cell. */
export async function readDocumentedSecrets(of: 'secrets' | 'cell-secrets' = 'secrets'): Promise<DocumentedSecrets> {
  const block = await readBlock(`sh ${of}`);
  const commands = block.replaceAll('\\\n', ' ').trim().split('\n');
  return new Map(
    commands.map((line) => {
      const command = line.trim();
      const [, name = '', options = ''] = /^kubectl create secret generic (\S+) +(.*)$/.exec(command) ?? [];
      const keys = [...options.matchAll(/--from-file=([^= ]+)=(\S+)/g)].map(([, key, file]) => [key, file] as const);
      if (keys.length === 0) throw new Error(`not understood: ${command}`);
      return [name, new Map(keys as [string, string][])] as const;
    }),
  );
}

export interface InitializedFiles extends AsyncDisposable {
  readonly directory: string;
  /** Reads a file by its path below the installation. */
  read(path: string): Promise<string>;
}

/** What `tenantscope init` writes with the arguments of the page. */
export async function initializeFiles(): Promise<InitializedFiles> {
  const parent = await mkdtemp(join(tmpdir(), 'tenantscope-chart-'));
  const directory = join(parent, 'installation');
  const stores = ['--postgres', 'postgres.example.com:5432', '--kafka', 'kafka.example.com:9093'];
  const args = ['init', '--directory', directory, ...stores, '--redis', 'redis.example.com:6379'];
  const { status, stderr } = await run(args);
  if (status !== 0) throw new Error(stderr);
  return {
    directory,
    read: (path) => readFile(join(directory, path), 'utf8'),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}

/** Adds the cell of the page with its command. */
export async function initDocumentedCell({ directory }: InitializedFiles): Promise<void> {
  const page = await readFile(join(checkout, 'docs', 'operations', 'kubernetes.md'), 'utf8');
  const [, command = ''] = /tenantscope:0\.1\.0 (cell init [^`]*)/.exec(page) ?? [];
  const args = command.replaceAll('\\\n', ' ').trim().split(/\s+/);
  const { status, stderr } = await run(args.map((arg) => (arg === '/installation' ? directory : arg)));
  if (status !== 0) throw new Error(stderr);
}

/** What the page does not create: Secrets of operators and of other logins. By the variable that reads it. */
const otherContents: Readonly<Record<string, string>> = {
  TENANTSCOPE_OWNER_DATABASE_URL: 'secrets/database_owner_url',
  TENANTSCOPE_STANDBY_DATABASE_URLS: 'secrets/database_api_url',
  TENANTSCOPE_POSTGRES_SSL_CA: 'secrets/ca.pem',
  TENANTSCOPE_KAFKA_SSL_CA: 'secrets/ca.pem',
  TENANTSCOPE_KAFKA_CLUSTER_SECOND_SSL_CA: 'secrets/ca.pem',
  TENANTSCOPE_INGEST_DATABASE_URL: 'secrets/database_ingest_url',
  TENANTSCOPE_JOBS_DATABASE_URL: 'secrets/database_jobs_url',
  TENANTSCOPE_KAFKA_SASL_PASSWORD: 'secrets/kafka_ingest',
  TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_SECRET: 'secrets/kafka_ingest',
  TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: 'secrets/kafka_ingest',
  authorities: 'secrets/ca.pem',
};

/** Writes the files of a pod's Secrets into a directory; returns the variables of the pod with these paths. */
export async function mountSecrets(
  { spec, container, variables }: RenderedPod,
  directory: string,
  documented: DocumentedSecrets,
  files: InitializedFiles,
): Promise<Record<string, string>> {
  const mount = container.volumeMounts.find(({ name }: Specification) => name === 'secrets').mountPath;
  const { sources } = spec.volumes.find(({ name }: Specification) => name === 'secrets').projected;
  await mkdir(directory, { recursive: true });
  for (const { secret } of sources)
    for (const { key, path } of secret.items) {
      const file = documented.get(secret.name)?.get(key) ?? otherContents[path.replace(/\.pem$/, '')];
      if (file === undefined) throw new Error(`no command creates ${key} of ${secret.name}`);
      await writeFile(join(directory, path), await files.read(file));
    }
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.replace(`${mount}/`, `${directory}/`)]),
  );
}
