import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The user of the image. Its id is that of nonroot in other minimal images, so that policies know it. */
const user = { id: 65532, name: 'tenantscope' };

/** Of glibc: files in `etc` before DNS, without which host names of the engine (`/etc/hosts`) would not be found. */
const nameServices = 'passwd: files\ngroup: files\nhosts: files dns\n';

/**
 * Writes what the product needs of an operating system: Node.js, the shared libraries of it and of the application's addons, and certificate authorities, taken from
 * `system` (the root of a Debian system), and the user. No shell, no package manager.
 */
export async function copyRuntime(directory: string, system: string, application: string): Promise<void> {
  await copyNode(directory);
  for (const library of await listLibraries([process.execPath, ...(await findAddons(application))]))
    await copyInto(directory, findLibrary(system, library), library);
  await writeInto(directory, 'etc/ssl/certs/ca-certificates.crt', await readCertificateAuthorities(system));
  await writeInto(directory, 'etc/passwd', `${user.name}:x:${user.id}:${user.id}::/:/sbin/nologin\n`);
  await writeInto(directory, 'etc/group', `${user.name}:x:${user.id}:\n`);
  await writeInto(directory, 'etc/nsswitch.conf', nameServices);
  await mkdir(join(directory, 'tmp'));
  await chmod(join(directory, 'tmp'), 0o1777);
  await cp(join(import.meta.dirname, '..', 'files'), join(directory, 'app'), { recursive: true });
}

async function copyNode(directory: string): Promise<void> {
  await copyInto(directory, process.execPath, 'usr/bin/node');
  await chmod(join(directory, 'usr/bin/node'), 0o755);
}

/** Addons of Node.js for this C library: packages may contain those for others too. */
async function findAddons(application: string): Promise<readonly string[]> {
  const files = await readdir(application, { recursive: true });
  const addons = files.filter((file) => file.endsWith('.node') && !file.includes('musl'));
  return addons.map((file) => join(application, file));
}

/** Absolute paths of the shared libraries of programs and addons, the dynamic linker included. */
async function listLibraries(programs: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await execute('ldd', [...programs]);
  return [...new Set([...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path as string))];
}

/** Packages of Debian 12 contain some libraries under /lib and others under /usr/lib; an installed system has one folder of both names. */
function findLibrary(system: string, path: string): string {
  const found = [join(system, path), join(system, 'usr', path)].find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${path} is not in ${system}`);
  return found;
}

/** The authorities of Mozilla's list, in the order of their names, as `update-ca-certificates` joins them. */
async function readCertificateAuthorities(system: string): Promise<string> {
  const folder = join(system, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.crt')).sort();
  if (names.length === 0) throw new Error(`no certificate authorities in ${folder}. Install ca-certificates.`);
  const certificates = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return certificates.map((certificate) => `${certificate.trim()}\n`).join('');
}

async function copyInto(directory: string, from: string, to: string): Promise<void> {
  await mkdir(dirname(join(directory, to)), { recursive: true });
  // Follows links: a library's name is a link to the file of its version.
  await copyFile(from, join(directory, to));
}

async function writeInto(directory: string, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content, { mode: 0o644 });
}
