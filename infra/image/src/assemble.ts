import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyApplication } from './copy-application.ts';
import { copyRuntime } from './copy-runtime.ts';
import type { DebianPackage } from './debian-system.ts';
import { createSbom } from './sbom.ts';

export interface Assembly {
  /** Receives `runtime`, `dependencies` and `application`, the contents of the image's layers. */
  readonly directory: string;
  /** The root of a Debian system with the libraries. */
  readonly system: string;
  readonly version: string;
  readonly debian: readonly DebianPackage[];
  /** Time of the build, in seconds since 1970: that of the commit. */
  readonly epochSeconds: number;
}

/** Writes the files of the image. */
export async function assemble({ directory, system, version, debian, epochSeconds }: Assembly): Promise<void> {
  const [runtime, dependencies, application] = ['runtime', 'dependencies', 'application'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  await mkdir(runtime, { recursive: true });
  await mkdir(join(dependencies, 'app'), { recursive: true });
  await copyApplication(join(application, 'app'));
  await copyRuntime(runtime, system, join(application, 'app'));
  const sbom = await createSbom(join(application, 'app', 'node_modules'), { version, debian, epochSeconds });
  await writeFile(join(application, 'app', 'sbom.cdx.json'), sbom);
  await rename(join(application, 'app', 'node_modules'), join(dependencies, 'app', 'node_modules'));
}
