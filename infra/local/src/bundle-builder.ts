import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { checkout } from './checkout.ts';
import type { ProcessName } from './start/process-environment.ts';

// Writes the bundle of the product to the directory that is its argument.

const processes: readonly ProcessName[] = ['api', 'ingest', 'jobs', 'console', 'collect', 'cli'];

/**
 * Libraries that are not bundled: with machine code or WebAssembly, with files of their own at run time (pino's threads), or whose modules the
 * product patches (kafkajs).
 */
const external = /^(kafkajs|pino|snappy|lz4-napi|@node-rs\/|@platformatic\/wasm-utils)/;

/** Our modules find files next to their source; a thread starts from a file of the bundle. */
const fileReferences: Plugin = {
  name: 'file-references',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta.')) return null;
    const threads = code.replace(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (_, name: string) => {
      this.emitFile({ type: 'chunk', id: join(dirname(id), `${name}.ts`), fileName: `${name}.mjs` });
      return `new URL('./${name}.mjs', import.meta['url'])`;
    });
    const changed = threads
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll("import.meta['url']", 'import.meta.url');
    // Source maps stay right: every line remains where it is.
    return { code: changed, map: null };
  },
};

/**
 * One build for each process: in a common one, a library that a process loads when needed may be part of the main file of another process,
 * which then starts as well.
 */
async function writeProcess(directory: string, name: ProcessName): Promise<void> {
  const bundle = await rolldown({
    input: { main: join(checkout, 'apps', name, 'src', 'main.ts') },
    platform: 'node',
    external: (id) => external.test(id),
    plugins: [fileReferences],
    logLevel: 'warn',
    checks: { circularDependency: false, eval: false },
  });
  const { output } = await bundle.write({
    dir: join(directory, name),
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  checkThreads(output.filter((file) => file.type === 'chunk'));
  await writeProgram(directory, name);
}

/** A thread must not load the main file of its process, which would start the process again. */
function checkThreads(chunks: readonly OutputChunk[]): void {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const addImports = (name: string, found: Set<string>): Set<string> => {
    const chunk = byName.get(name);
    if (chunk === undefined || found.has(name)) return found;
    found.add(name);
    for (const next of [...chunk.imports, ...chunk.dynamicImports]) addImports(next, found);
    return found;
  };
  for (const { fileName, isEntry } of chunks)
    if (isEntry && fileName !== 'main.mjs' && addImports(fileName, new Set()).has('main.mjs'))
      throw new Error(`${fileName} loads the main file of its process`);
}

/** A compile cache of its own: it is deleted with the bundle. */
function writeProgram(directory: string, name: ProcessName): Promise<void> {
  const start =
    name === 'cli'
      ? `const { main } = await import('./cli/main.mjs');\nawait main(process.argv);`
      : `await import('./${name}/main.mjs');`;
  const cache = "enableCompileCache(fileURLToPath(new URL('./compile-cache', import.meta.url)));";
  const imports = "import { enableCompileCache } from 'node:module';\nimport { fileURLToPath } from 'node:url';\n";
  return writeFile(join(directory, `${name}.mjs`), `${imports}\n${cache}\n${start}\n`);
}

for (const name of processes) await writeProcess(process.argv[2] ?? '', name);
