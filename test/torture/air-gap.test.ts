import { execFile } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildArchive, readVersion } from '@tenantscope/image';
import { checkout, findFreePort, findProgram, requireProgram, spawnGuarded } from '@tenantscope/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { findEngine } from '../services/engine.ts';

// The commands of docs/operations/air-gap.md in a network namespace whose only route leads nowhere: each packet that tries to leave is counted.

const execute = promisify(execFile);
const isTorture = process.env.TENANTSCOPE_TORTURE === '1';
const buildTimeoutMs = 1_800_000;
const startTimeoutMs = 300_000;
const version = await readVersion();

describe.runIf(isTorture)('the archive', { tags: ['torture', 'containers'] }, () => {
  let work: string;
  let digest: string;
  let namespace: number;
  const running: ReturnType<typeof spawnGuarded>[] = [];
  const script = (text: string, cwd = work) =>
    execute('nsenter', [`--net=/proc/${namespace}/ns/net`, 'bash', '-euo', 'pipefail', '-c', text], {
      cwd,
      env: { ...process.env, DOCKER_HOST: `unix://${work}/docker.sock` },
      maxBuffer: 1 << 26,
    }).then(({ stdout }) => stdout);
  const countPackets = async (): Promise<number> =>
    JSON.parse(await script('ip -json -stats link show outside'))[0].stats64.tx.packets;
  const installation = () => join(work, 'installation');

  beforeAll(async () => {
    for (const name of ['debootstrap', 'docker-compose'])
      await requireProgram(() => findProgram(name), {
        what: name,
        packages: [name],
        instead: 'PATH so that it contains it',
      });
    const engine = await findEngine();
    if ('missing' in engine) throw new Error(engine.missing);
    process.env.DOCKER_HOST = engine.host;
    // A socket path may have 107 bytes.
    work = await mkdtemp('/var/tmp/ts-air-');
    ({ sha256: digest } = await buildArchive({ version, output: join(work, `tenantscope-${version}-archive.tar`) }));
    await startSeparateEngine();
  }, buildTimeoutMs);

  async function startSeparateEngine(): Promise<void> {
    const holder = spawnGuarded(['unshare', '--net', 'sleep', 'infinity'], { stopSignal: 'SIGTERM', stdio: 'ignore' });
    running.push(holder);
    namespace = holder.pid ?? 0;
    const networks = ['self', namespace].map((process) => `/proc/${process}/ns/net`);
    await eventually('the namespace', 10_000, async () => {
      const [ours, other] = await Promise.all(networks.map((path) => readlink(path)));
      return ours !== other;
    });
    await script(
      `ip link set lo up; ip link add outside type veth peer name beyond
       for end in outside beyond; do echo 1 > /proc/sys/net/ipv6/conf/$end/disable_ipv6; ip link set $end arp off up; done
       ip address add 192.0.2.1/24 dev outside; ip route add default via 192.0.2.254 dev outside`,
    );
    await mkdir(join(work, 'engine'));
    const log = openSync(join(work, 'engine', 'log'), 'w');
    const places = ['data-root', 'exec-root', 'pidfile'].map((name) => `--${name}=${join(work, 'engine', name)}`);
    const engine = ['dockerd', ...places, `--host=unix://${work}/docker.sock`];
    running.push(
      spawnGuarded(['nsenter', `--net=/proc/${namespace}/ns/net`, ...engine], {
        stopSignal: 'SIGTERM',
        stdio: ['ignore', log, log],
      }),
    );
    closeSync(log);
    await eventually('the engine', 60_000, async () => (await script('docker info').catch(() => '')) !== '');
  }

  afterAll(async () => {
    if (namespace) await script('docker-compose down --volumes', installation()).catch(() => {});
    for (const child of running.toReversed()) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    }
    if (work) await rm(work, { recursive: true, force: true });
  }, startTimeoutMs);

  /** The commands of a section of the page. */
  async function readCommands(section: string): Promise<string> {
    const page = await readFile(join(checkout, 'docs', 'operations', 'air-gap.md'), 'utf8');
    const [, commands = ''] = new RegExp(`## ${section}\\n[\\s\\S]*?\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
    expect(commands).not.toBe('');
    return commands.replaceAll('0.1.0', version).replace('DIGEST', digest);
  }

  test('its digests are verified, and a changed file is found', async () => {
    await script(await readCommands('Verify and unpack'));
    const directory = join(work, `tenantscope-${version}`);
    const verify = () => script('sha256sum --check --quiet SHA256SUMS', directory);
    await script('cp docs/polling.html kept.html; echo >> docs/polling.html', directory);
    const failure = await verify().catch((error: unknown) => error);
    await script('mv kept.html docs/polling.html', directory);
    expect(failure).toMatchObject({ stdout: 'docs/polling.html: FAILED\n' });
    await verify();
    expect(JSON.parse(await readFile(join(directory, 'sbom.cdx.json'), 'utf8'))).toMatchObject({
      bomFormat: 'CycloneDX',
    });
  });

  test('an installation from it serves an imported row and sends no packet to other hosts', {
    timeout: 900_000,
  }, async () => {
    const [apiPort, consolePort] = [await findFreePort(), await findFreePort()];
    const commands = (await readCommands('Docker Compose')).replace(
      'docker compose up',
      `printf '%s\\n' API_PORT=${apiPort} CONSOLE_PORT=${consolePort} >> .env\ndocker-compose up`,
    );
    await script(commands, join(work, `tenantscope-${version}`));
    const states = () =>
      script(
        `docker-compose ps --quiet | xargs docker inspect --format '{{or (and .State.Health .State.Health.Status) .State.ExitCode}}'`,
        installation(),
      );
    await eventually('healthy containers', startTimeoutMs, async () => {
      const all = (await states().catch(() => '')).trim().split('\n');
      return all.length === 9 && all.every((state) => state === 'healthy' || state === '0');
    });
    const cli = (args: string) => script(`docker-compose run --rm -T cli ${args}`, installation());
    const create = async (args: string): Promise<Record<string, string>> => JSON.parse(await cli(`${args} --json`));
    const { id: organization } = await create('org create --name Example');
    const { id: tenant } = await create(`tenant create --name Example --org ${organization}`);
    const { secret } = await create(`key create --name siem --scopes logs:read --tenant ${tenant}`);
    const record = {
      Workload: 'Exchange',
      Operation: 'New-InboxRule',
      CreationTime: '2026-11-20T10:00:00',
      Id: 'e2a0a7a5-7d0f-4b1e-9f42-6a1d6d1f9b11',
      UserId: 'ada@example.com',
      RecordType: 1,
    };
    await script(
      `echo '${JSON.stringify(record)}' | docker-compose run --rm -T cli import --tenant ${tenant} -`,
      installation(),
    );
    const read = () =>
      script(`curl --silent --fail --header 'Authorization: Bearer ${secret}' http://127.0.0.1:${apiPort}/api/v1/logs`);
    await eventually('the row', 60_000, async () => JSON.parse(await read()).data.length === 1);
    expect(JSON.parse(await read()).data).toMatchObject([{ action: 'New-InboxRule' }]);
    expect(await countPackets()).toBe(0);
    // What is counted above is counted: a container that looks up a name and connects.
    const leave = `require('net').connect(443, '198.51.100.1').setTimeout(2000, function () { this.destroy() }).on('error', () => {})`;
    await script(`docker-compose exec -T api /usr/bin/node -e "${leave}"`, installation());
    expect(await countPackets()).toBeGreaterThan(0);
  });
});
