import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { checkout, oldestPostgresBinaries, requirePatroni } from '@tenantscope/local';
import { eventually } from '../installation/eventually.ts';
import { createHostNetwork, type HostNetwork, type NetworkHost } from './network-hosts.ts';

/** PostgreSQL with Patroni, etcd and HAProxy, as infra/patroni configures them, each member and etcd on a host of its own. */
export interface PatroniCluster extends AsyncDisposable {
  /** The superuser on the primary, through HAProxy. */
  readonly address: string;
  readonly members: readonly NetworkHost[];
  readonly etcd: NetworkHost;
  /** The same URL on one member. */
  urlOn(url: string, member: NetworkHost): string;
  read(except?: NetworkHost): Promise<readonly MemberState[]>;
  /** As any member but one knows it. */
  primary(except?: NetworkHost): Promise<NetworkHost>;
  /** Of a healthy cluster with a synchronous standby. */
  standbys(): Promise<{ readonly synchronous: NetworkHost; readonly asynchronous: NetworkHost }>;
  /** By an offset such as -4s, within 2 s. A server that starts with more than 3 s is not recognized by Patroni. */
  setClock(member: NetworkHost, offset: string): Promise<void>;
  /** The lock of the primary, as if it had ended. */
  removeLock(): Promise<void>;
  /** Starts all processes of a member that was killed. */
  startMember(member: NetworkHost): Promise<void>;
  /** The member has no data: Patroni copies it again. */
  destroyData(member: NetworkHost): Promise<void>;
  /** One primary, which accepts writes, and all others stream from it, one of them synchronously where that is configured. */
  untilHealthy(): Promise<void>;
  /** Through Patroni's own command. Throws if it is refused. */
  switchOver(to: NetworkHost): Promise<void>;
}

export interface MemberState {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica' | 'standby_leader';
  readonly state: string;
  readonly timeline?: number;
  readonly lag?: number | string;
}

export interface PatroniOptions {
  readonly isSynchronous: boolean;
  /** By member: how its clock differs, for example -2s. */
  readonly clocks?: Readonly<Record<string, string>>;
  /** Changes to the text of patroni.yml. */
  readonly configure?: (text: string) => string;
}

const names = ['pg-1', 'pg-2', 'pg-3'] as const;
const etcdPort = 2379;
const password = 'of-the-test';

/** Where a cluster runs. */
interface Site {
  readonly options: PatroniOptions;
  /** With a directory and a log for each host. The user of the server reads the programs too. */
  readonly directory: string;
  readonly programs: string;
  readonly libraries: string;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly network: HostNetwork;
  readonly etcd: NetworkHost;
  readonly proxy: NetworkHost;
  readonly members: readonly NetworkHost[];
}

export async function startPatroniCluster(options: PatroniOptions): Promise<PatroniCluster> {
  await using stack = new AsyncDisposableStack();
  const site = await prepareSite(options, stack);
  const { directory, programs, libraries, etcd, proxy, members } = site;
  await startProgram(site, etcd, [
    join(programs, 'usr/bin/etcd'),
    `--data-dir=${join(directory, 'etcd', 'data')}`,
    `--listen-client-urls=http://${etcd.address}:${etcdPort}`,
    `--advertise-client-urls=http://${etcd.address}:${etcdPort}`,
  ]);
  for (const member of members) await startMember(site, member);
  const settings = await writeProxySettings(site);
  await startProgram(site, proxy, [join(programs, 'usr/sbin/haproxy'), '-f', settings], { LD_LIBRARY_PATH: libraries });
  const cluster = createControls(site);
  await cluster.untilHealthy().catch(async (error: unknown) => {
    const log = await readFile(join(directory, 'pg-1.log'), 'utf8').catch(() => '');
    throw new Error(`the cluster did not start:\n${log.slice(-3_000)}`, { cause: error });
  });
  const owned = stack.move();
  return { ...cluster, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function prepareSite(options: PatroniOptions, stack: AsyncDisposableStack): Promise<Site> {
  const fetched = await requirePatroni();
  const user = await readUser('postgres');
  const directory = await mkdtemp('/var/tmp/tenantscope-patroni-');
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  await chown(directory, user.uid, user.gid);
  const programs = join(directory, 'programs');
  await cp(fetched.files, programs, { recursive: true, verbatimSymlinks: true });
  await cp(fetched.patroni, join(programs, 'patroni'), { recursive: true });
  await chmod(programs, 0o755);
  const network = stack.use(await createHostNetwork(['etcd', 'haproxy', ...names]));
  const [etcd, proxy, ...members] = network.hosts as [NetworkHost, NetworkHost, ...NetworkHost[]];
  const libraries = join(programs, 'usr/lib/x86_64-linux-gnu');
  return { options, directory, programs, libraries, user, network, etcd, proxy, members };
}

async function createFolder({ directory, user }: Site, name: string): Promise<string> {
  const folder = join(directory, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, user.uid, user.gid);
  return folder;
}

async function startProgram(
  site: Site,
  host: NetworkHost,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const logFile = join(site.directory, `${host.name}.log`);
  host.start(command, { user: site.user, env, directory: await createFolder(site, host.name), logFile });
}

async function startMember(site: Site, member: NetworkHost): Promise<void> {
  const { programs, libraries } = site;
  await startProgram(site, member, ['/usr/bin/python3', '-m', 'patroni', await writeConfiguration(site, member)], {
    PYTHONPATH: [join(programs, 'patroni'), join(programs, 'usr/lib/python3/dist-packages')].join(':'),
    LD_LIBRARY_PATH: libraries,
    LANG: 'C.UTF-8',
  });
}

/** patroni.yml as the page of the manual says, with other paths. */
async function writeConfiguration(site: Site, member: NetworkHost): Promise<string> {
  const { options, network, etcd, user } = site;
  const folder = await createFolder(site, member.name);
  const replaced: Record<string, string> = {
    NAME: member.name,
    ADDRESS: member.address,
    ETCD: `${etcd.address}:${etcdPort}`,
    NETWORK: `${network.address}/24`,
    SUPERUSER_PASSWORD: password,
    REPLICATION_PASSWORD: password,
    '/var/lib/postgresql/15/tenantscope': join(folder, 'data'),
    '/usr/lib/postgresql/15/bin': await preparePrograms(site, member),
  };
  let text = await readFile(join(checkout, 'infra/patroni/patroni.yml'), 'utf8');
  for (const [from, to] of Object.entries(replaced)) text = text.replaceAll(from, to);
  if (!options.isSynchronous) text = text.replace('synchronous_mode: true', 'synchronous_mode: false');
  text += `  parameters:\n    unix_socket_directories: ${folder}\n  pgpass: ${join(folder, 'pgpass')}\n`;
  const file = join(folder, 'patroni.yml');
  await writeFile(file, options.configure?.(text) ?? text, { mode: 0o600 });
  await chown(file, user.uid, user.gid);
  return file;
}

/** The programs of PostgreSQL, whose server reads how far its clock is behind from a file, once a second. Patroni crashes with such a clock. */
async function preparePrograms(site: Site, member: NetworkHost): Promise<string> {
  const folder = join(site.directory, member.name, 'bin');
  if (existsSync(folder)) return folder;
  await mkdir(folder);
  for (const name of await readdir(oldestPostgresBinaries))
    if (name !== 'postgres') await symlink(join(oldestPostgresBinaries, name), join(folder, name));
  const variables = [
    `LD_PRELOAD=${join(site.libraries, 'faketime/libfaketime.so.1')}`,
    `FAKETIME_TIMESTAMP_FILE=${clockFile(site, member)}`,
    'FAKETIME_CACHE_DURATION=1',
    'FAKETIME_DONT_FAKE_MONOTONIC=1',
  ];
  await setClock(site, member, site.options.clocks?.[member.name] ?? '+0s');
  const script = `#!/bin/sh\nexec env ${variables.join(' ')} ${join(oldestPostgresBinaries, 'postgres')} "$@"\n`;
  await writeFile(join(folder, 'postgres'), script, { mode: 0o755 });
  return folder;
}

const clockFile = ({ directory }: Site, { name }: NetworkHost) => join(directory, name, 'clock');

const setClock = (site: Site, member: NetworkHost, offset: string) =>
  writeFile(clockFile(site, member), `${offset}\n`, { mode: 0o644 });

async function writeProxySettings(site: Site): Promise<string> {
  let text = await readFile(join(checkout, 'infra/patroni/haproxy.cfg'), 'utf8');
  text = text.replace('127.0.0.1', site.proxy.address);
  for (const [index, member] of site.members.entries()) text = text.replace(`ADDRESS_${index + 1}`, member.address);
  const file = join(await createFolder(site, 'haproxy'), 'haproxy.cfg');
  await writeFile(file, text, { mode: 0o644 });
  return file;
}

function createControls(site: Site): Omit<PatroniCluster, keyof AsyncDisposable> {
  const { directory, etcd, proxy, members, options } = site;
  const address = `postgres://postgres:${password}@${proxy.address}:6432/postgres`;
  const read = async (except?: NetworkHost) => {
    for (const { address: host } of members.filter((member) => member !== except)) {
      const response = await request(`http://${host}:8008/cluster`, { timeoutMs: 2_000 }).catch(() => null);
      if (response?.status === 200) return (JSON.parse(response.text) as { members: MemberState[] }).members;
    }
    throw new Error('no member responds');
  };
  const find = (name: string) => {
    const found = members.find((member) => member.name === name);
    if (found === undefined) throw new Error(`no member ${name}`);
    return found;
  };
  const cluster: Omit<PatroniCluster, keyof AsyncDisposable> = {
    address,
    members,
    etcd,
    urlOn: (url, member) => Object.assign(new URL(url), { host: `${member.address}:5432` }).href,
    read,
    setClock: (member, offset) => setClock(site, member, offset),
    startMember: (member) => startMember(site, member),
    async primary(except) {
      const leader = (await read(except)).find(({ role, state }) => role === 'leader' && state === 'running');
      if (leader === undefined) throw new Error('there is no primary');
      return find(leader.name);
    },
    async standbys() {
      const states = await read();
      const named = (role: MemberState['role']) => find(states.find((each) => each.role === role)?.name ?? role);
      return { synchronous: named('sync_standby'), asynchronous: named('replica') };
    },
    async removeLock() {
      const key = Buffer.from('/service/tenantscope/leader').toString('base64');
      const url = `http://${etcd.address}:${etcdPort}/v3/kv/deleterange`;
      const { status, text } = await request(url, { body: { key }, timeoutMs: 10_000 });
      if (status !== 200) throw new Error(`etcd: ${status}: ${text}`);
    },
    async destroyData(member) {
      await rm(join(directory, member.name, 'data'), { recursive: true, force: true });
    },
    async untilHealthy() {
      await eventually('the cluster has a primary and standbys that stream from it', 120_000, async () => {
        // What etcd has of a member that was killed is up to ttl old.
        for (const { address } of members)
          if ((await request(`http://${address}:8008/health`, { timeoutMs: 2_000 })).status !== 200) return false;
        const states = await read();
        const leader = states.find(({ role }) => role === 'leader');
        const standbys = states.filter((each) => each !== leader);
        return (
          leader?.state === 'running' &&
          standbys.length === members.length - 1 &&
          standbys.every(
            ({ state, timeline }) => ['running', 'streaming'].includes(state) && timeline === leader.timeline,
          ) &&
          standbys.some(({ role }) => role === 'sync_standby') === options.isSynchronous
        );
      });
    },
    async switchOver(to) {
      const from = await cluster.primary();
      const body = { leader: from.name, candidate: to.name };
      const { status, text } = await request(`http://${from.address}:8008/switchover`, { body, timeoutMs: 60_000 });
      if (status !== 200) throw new Error(`switchover: ${status}: ${text}`);
    },
  };
  return cluster;
}

async function readUser(name: string): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await promisify(execFile)('id', [flag, name])).stdout)),
  );
  if (uid === undefined || gid === undefined) throw new Error(`no user ${name}`);
  return { uid, gid };
}

/** On a connection of its own: one that is kept may lead to a process that was killed. */
async function request(
  url: string,
  { body, timeoutMs }: { readonly body?: object; readonly timeoutMs: number },
): Promise<{ readonly status: number; readonly text: string }> {
  const outgoing = http.request(url, {
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    signal: AbortSignal.timeout(timeoutMs),
  });
  outgoing.end(body && JSON.stringify(body));
  const [response] = (await once(outgoing, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode ?? 0, text: await text(response) };
}
