// The way into everything: `npm start`, `npm test` and their siblings come through here. Plain JavaScript for whatever Node (20 or later)
// the machine has; it makes sure the dependencies are installed, then hands over to the Node that is one of them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const checkout = join(import.meta.dirname, '..', '..');
const binaries = join(checkout, 'node_modules', '.bin');
const scripts = {
  start: 'infra/local/src/start.ts',
  test: 'infra/local/src/test.ts',
  check: 'infra/local/src/check.ts',
  torture: 'infra/local/src/torture.ts',
  bench: 'test/bench/main.ts',
  docs: 'infra/docs/src/main.ts',
};

const [command, ...words] = process.argv.slice(2);
const script = scripts[command];
if (script === undefined) fail(`usage: node infra/local/setup.mjs ${Object.keys(scripts).join('|')} …`);
await install();
hand(join(checkout, script), words);

/** Installs the dependencies unless what is installed agrees with the lock file; one run at a time. */
async function install() {
  if (isInstalled()) return;
  const state = join(checkout, '.tenantscope');
  mkdirSync(state, { recursive: true });
  const lock = join(state, 'installing');
  while (!take(lock)) await sleep(200);
  try {
    if (isInstalled()) return;
    process.stderr.write('installing dependencies …\n');
    const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
    const { status } = spawnSync(
      npm[0],
      [...npm.slice(1), 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
      {
        cwd: checkout,
        stdio: ['ignore', 2, 2],
      },
    );
    if (status !== 0) fail('npm ci failed');
    if (!isInstalled())
      fail('npm ci left dependencies out; are installation scripts switched off (npm config get ignore-scripts)?');
  } finally {
    rmSync(lock, { force: true });
  }
}

/** npm writes what it installed to a lock file of its own, last: it is missing after an interrupted installation. */
function isInstalled() {
  const installed = packagesOf(join(checkout, 'node_modules', '.package-lock.json'));
  const wanted = packagesOf(join(checkout, 'package-lock.json'));
  if (installed === null || wanted === null || !existsSync(join(binaries, 'node'))) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    const present = installed[path];
    return present === undefined ? optional || !path.includes('node_modules/') : present.version === version;
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned(lock) {
  try {
    const holder = readFileSync(lock, 'utf8');
    return holder !== '' && !isRunning(Number(holder));
  } catch {
    return false;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return cause.code === 'EPERM';
  }
}

function hand(file, words) {
  if (!existsSync(file)) fail(`${script} is missing from this checkout`);
  const child = spawn(join(binaries, 'node'), [file, ...words], {
    cwd: checkout,
    // The channel closes when this process is gone, however it went: then the child ends too.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PATH: [binaries, process.env.PATH].join(delimiter),
      // @NOTE kafkajs asks for timers in the past, of which Node 24 would warn in every process.
      NODE_OPTIONS: [process.env.NODE_OPTIONS, '--disable-warning=TimeoutNegativeWarning'].filter(Boolean).join(' '),
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (cause) => fail(cause.message));
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 1));
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 1000).unref();
}

function fail(words) {
  process.stderr.write(`${words}\n`);
  process.exit(1);
}
