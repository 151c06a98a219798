import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { findProgram, requireProgram } from '@tenantscope/local';
import { assemble } from './assemble.ts';
import { readBuildTime } from './build-time.ts';
import { unpackDebianSystem } from './debian-system.ts';

const execute = promisify(execFile);

/** With overlay a layer is not a copy of those below; only root may mount it. */
const storageDriver = process.getuid?.() === 0 ? 'overlay' : 'vfs';

export interface ImageOptions {
  /** Name and tag, such as `tenantscope:0.1.0`. */
  readonly tag: string;
  /** File that receives the image, as `docker load` reads it. */
  readonly output: string;
  readonly version: string;
  /** File that receives a copy of the list of contents in the image. */
  readonly sbom?: string;
}

export interface BuiltImage {
  /** `sha256:` and the digest of the image's configuration, which `docker images` shows as its id. Two builds of a commit have the same. */
  readonly id: string;
  readonly sha256: string;
}

/** Builds the image from Debian packages and the lock file, without a container engine and without a registry. */
export async function buildImage({ tag, output, version, sbom }: ImageOptions): Promise<BuiltImage> {
  const buildah = await requireProgram(() => findProgram('buildah'), {
    what: 'buildah',
    packages: ['buildah'],
    instead: 'PATH so that it contains buildah, or use infra/image/Dockerfile.registry where there is a registry',
  });
  // Not /tmp, which may be in memory: the image is written three times.
  const work = await mkdtemp('/var/tmp/tenantscope-image-');
  try {
    const [context, system] = [join(work, 'context'), join(work, 'system')];
    const debian = await unpackDebianSystem(system);
    const { revision, epochSeconds } = await readBuildTime();
    await assemble({ directory: context, system, version, debian, epochSeconds });
    if (sbom !== undefined) await copyFile(join(context, 'application', 'app', 'sbom.cdx.json'), sbom);
    const store = ['--root', join(work, 'store'), '--runroot', join(work, 'run'), '--storage-driver', storageDriver];
    const labels = [
      ['org.opencontainers.image.title', 'tenantscope'],
      ['org.opencontainers.image.revision', revision ?? 'unknown'],
      ['org.opencontainers.image.version', version],
    ].flatMap(([name, value]) => ['--label', `${name}=${value}`]);
    const dockerfile = join(import.meta.dirname, '..', 'Dockerfile');
    const build = [
      'build',
      '--quiet',
      '--layers',
      '--isolation',
      'chroot',
      '--timestamp',
      String(epochSeconds),
      ...labels,
    ];
    const { stdout } = await execute(buildah, [...store, ...build, '--tag', tag, '--file', dockerfile, context], {
      maxBuffer: 1 << 26,
    });
    await mkdir(dirname(output), { recursive: true });
    await rm(output, { force: true });
    await execute(buildah, [...store, 'push', '--quiet', stdout.trim(), `docker-archive:${output}:${tag}`], {
      maxBuffer: 1 << 26,
    });
    return { id: `sha256:${stdout.trim()}`, sha256: await digestFile(output) };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

export async function digestFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
