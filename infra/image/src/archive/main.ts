import { join } from 'node:path';
import { readScriptArguments, stateDirectory } from '@tenantscope/local';
import { readVersion } from '../version.ts';
import { buildArchive } from './build-archive.ts';

// `npm run archive` builds the archive for installations without a route to other hosts.
const version = await readVersion();
const { values } = readScriptArguments('npm run archive [-- --output FILE]', {
  options: { output: { type: 'string', default: join(stateDirectory, `tenantscope-${version}-archive.tar`) } },
});
const { sha256 } = await buildArchive({ version, output: values.output });
console.log(`${sha256}  ${values.output}`);
