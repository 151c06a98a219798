import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkout, fetchKafkaJars } from '@tenantscope/local';
import { buildImage, digestFile } from '../build-image.ts';
import { readBuildTime } from '../build-time.ts';
import { writeHtmlDocuments } from './html-documents.ts';

const execute = promisify(execFile);
const storeImages = {
  postgres: 'tenantscope/postgres:15',
  kafka: 'tenantscope/kafka:4.1',
  redis: 'tenantscope/redis:7',
};

export interface ArchiveOptions {
  readonly version: string;
  readonly output: string;
}

/** Everything that an installation without a route to other hosts needs, in one file with digests. Docker has to run, for the images of the stores. */
export async function buildArchive({ version, output }: ArchiveOptions): Promise<{ readonly sha256: string }> {
  const work = await mkdtemp('/var/tmp/tenantscope-archive-');
  try {
    const name = `tenantscope-${version}`;
    const directory = join(work, name);
    const images = join(directory, 'images');
    await mkdir(images, { recursive: true });
    await buildImage({
      tag: `tenantscope:${version}`,
      output: join(images, 'tenantscope.tar'),
      sbom: join(directory, 'sbom.cdx.json'),
      version,
    });
    await saveStoreImages(images);
    await cp(join(checkout, 'infra', 'chart'), join(directory, 'chart'), { recursive: true });
    await cp(join(checkout, 'infra', 'compose'), join(directory, 'compose'), { recursive: true });
    await cp(join(checkout, 'infra', 'observability'), join(directory, 'observability'), { recursive: true });
    await writeHtmlDocuments(checkout, directory);
    await writeDigests(directory);
    await pack(work, name, output);
    return { sha256: await digestFile(output) };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** With the Debian packages of each, next to it. */
async function saveStoreImages(directory: string): Promise<void> {
  const options = { maxBuffer: 1 << 26 };
  await execute(join(checkout, 'infra', 'containers', 'build-images.sh'), [await fetchKafkaJars()], options);
  for (const [name, image] of Object.entries(storeImages)) {
    await execute('docker', ['save', '--output', join(directory, `${name}.tar`), image], options);
    const list = ['run', '--rm', '--network', 'none', '--entrypoint', 'dpkg-query', image, '--show'];
    await writeFile(join(directory, `${name}.packages.txt`), (await execute('docker', list, options)).stdout);
  }
}

/** As `sha256sum --check` reads them. */
async function writeDigests(directory: string): Promise<void> {
  const files = globSync('**/*', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
  const lines: string[] = [];
  for (const file of files) lines.push(`${await digestFile(join(directory, file))}  ${file}\n`);
  await writeFile(join(directory, 'SHA256SUMS'), lines.join(''));
}

async function pack(work: string, name: string, output: string): Promise<void> {
  const { epochSeconds } = await readBuildTime();
  const file = join(work, 'archive.tar');
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  await execute('tar', [
    '--create',
    '--sort=name',
    `--mtime=@${epochSeconds}`,
    ...owner,
    '--file',
    file,
    '--directory',
    work,
    name,
  ]);
  await mkdir(dirname(output), { recursive: true });
  await rename(file, output).catch(() => cp(file, output));
}
