import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildConsolePages, checkout } from '@tenantscope/local';

const execute = promisify(execFile);

/** Workspaces of the product; those of `infra` and `test` only build and test it. */
const groups = ['apps', 'packages'];
/** Not needed at run time. The pages of the console (`web`) are built into `dist`. */
const excluded = new Set(['test', 'web', 'dist', 'node_modules', 'turbo.json']);

/** Writes the product, its production dependencies and the pages of the console into a directory. */
export async function copyApplication(directory: string): Promise<void> {
  await installDependencies(directory);
  for (const workspace of await listWorkspaces(groups))
    for (const name of await readdir(join(checkout, workspace)))
      if (!excluded.has(name))
        await cp(join(checkout, workspace, name), join(directory, workspace, name), { recursive: true });
  // `tenantscope migrate` and `tenantscope init` read these.
  for (const name of ['migrations', join('infra', 'compose')])
    await cp(join(checkout, name), join(directory, name), { recursive: true });
  await buildConsolePages();
  const pages = join(directory, 'apps', 'console', 'dist', 'current');
  await cp(join(checkout, 'apps', 'console', 'dist', 'current'), pages, { recursive: true, dereference: true });
}

/**
 * `npm ci` without development dependencies and without installation scripts, for the workspaces of the product. npm compares the lock file with
 * all workspaces, so the declarations of the others are there while it runs.
 */
async function installDependencies(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const workspace of [...(await listWorkspaces(['apps', 'packages', 'infra', '.'])), '.'])
    await cp(join(checkout, workspace, 'package.json'), join(directory, workspace, 'package.json'));
  await cp(join(checkout, 'package-lock.json'), join(directory, 'package-lock.json'));
  const product = (await listWorkspaces(groups)).flatMap((workspace) => ['--workspace', workspace]);
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await execute('npm', ['ci', ...options, ...product], { cwd: directory, maxBuffer: 1 << 26 });
  // What is a development dependency here and a dependency of `infra` was installed too.
  for (const name of ['infra', 'test']) await rm(join(directory, name), { recursive: true, force: true });
  const root = { name: 'tenantscope', private: true, type: 'module', workspaces: groups.map((group) => `${group}/*`) };
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(root, null, 2)}\n`);
  await execute('npm', ['prune', ...options], { cwd: directory, maxBuffer: 1 << 26 });
  await rm(join(directory, 'package-lock.json'));
}

/** Directories with a package.json, relative to the checkout. */
async function listWorkspaces(parents: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const parent of parents)
    for (const entry of await readdir(join(checkout, parent), { withFileTypes: true })) {
      const workspace = join(parent, entry.name);
      if (entry.isDirectory() && existsSync(join(checkout, workspace, 'package.json'))) found.push(workspace);
    }
  return found;
}
