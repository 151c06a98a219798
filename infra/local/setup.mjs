// Runs every npm script. Plain JavaScript, for the machine's own Node (20 or later): installs the dependencies if needed, then executes the
// script with the Node that is one of them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const checkout = join(import.meta.dirname, '..', '..');
const binaries = join(checkout, 'node_modules', '.bin');
const scripts = {
  start: 'infra/local/src/start.ts',
  dev: 'infra/local/src/start.ts --watch',
  test: 'infra/local/src/test.ts',
  check: 'infra/local/src/check.ts',
  torture: 'infra/local/src/torture.ts',
  bench: 'test/bench/main.ts',
  docs: 'infra/docs/src/main.ts',
  image: 'infra/image/src/main.ts',
  archive: 'infra/image/src/archive/main.ts',
};

const [command, ...args] = process.argv.slice(2);
if (scripts[command] === undefined) fail(`usage: node infra/local/setup.mjs ${Object.keys(scripts).join('|')} …`);
const [script, ...options] = scripts[command].split(' ');
await install();
exec(script, [...options, ...args]);

/** Installs the dependencies unless the installed ones match the lock file; one run at a time. */
async function install() {
  if (isInstalled()) return;
  const state = join(checkout, '.tenantscope');
  mkdirSync(state, { recursive: true });
  const lock = join(state, 'installing');
  while (!acquire(lock)) await sleep(200);
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
      fail(
        'npm ci did not install all dependencies. Check that installation scripts are enabled: npm config get ignore-scripts',
      );
  } finally {
    rmSync(lock, { force: true });
  }
}

/** npm writes the installed versions to its own lock file last: it is missing after an interrupted installation. */
function isInstalled() {
  const installed = readPackages(join(checkout, 'node_modules', '.package-lock.json'));
  const expected = readPackages(join(checkout, 'package-lock.json'));
  if (installed === null || expected === null || !existsSync(join(binaries, 'node'))) return false;
  return Object.entries(expected).every(([path, { version, optional }]) => {
    const present = installed[path];
    return present === undefined ? optional || !path.includes('node_modules/') : present.version === version;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}

function acquire(lock) {
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

function exec(file, args) {
  if (!existsSync(join(checkout, file))) fail(`${file} not found in this checkout`);
  const child = spawn(join(binaries, 'node'), [join(checkout, file), ...args], {
    cwd: checkout,
    // The channel closes when this process is gone for any reason: then the child ends too.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PATH: [binaries, process.env.PATH].join(delimiter),
      // @NOTE kafkajs sets timers in the past, of which Node 24 would warn in every process.
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

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
