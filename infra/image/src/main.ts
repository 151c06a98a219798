import { join } from 'node:path';
import { readScriptArguments, stateDirectory } from '@tenantscope/local';
import { assemble } from './assemble.ts';
import { buildImage } from './build-image.ts';
import { readBuildTime } from './build-time.ts';
import { listInstalledPackages } from './debian-system.ts';
import { readVersion } from './version.ts';

// `npm run image` builds the container image without a registry. `--files DIRECTORY` only writes its files,
// with the libraries of the Debian system that it runs on: a step of Dockerfile.registry.
const version = await readVersion();
const { values } = readScriptArguments('npm run image [-- [--tag NAME:TAG] [--output FILE]]', {
  options: {
    tag: { type: 'string', default: `tenantscope:${version}` },
    output: { type: 'string', default: join(stateDirectory, 'tenantscope-image.tar') },
    files: { type: 'string' },
  },
});
if (values.files === undefined) {
  const { id, sha256 } = await buildImage({ tag: values.tag, output: values.output, version });
  console.log(`${values.tag}  ${id}\n${values.output}  sha256 ${sha256}\n\ndocker load --input ${values.output}`);
} else {
  const debian = await listInstalledPackages();
  const { epochSeconds } = await readBuildTime();
  await assemble({ directory: values.files, system: '/', version, debian, epochSeconds });
}
