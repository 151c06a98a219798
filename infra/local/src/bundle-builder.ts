import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { checkout } from './checkout.ts';

// Writes the bundle of the product to the directory that is its argument.

const apps = ['api', 'ingest', 'jobs', 'console', 'collect'] as const;

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
    return threads
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll("import.meta['url']", 'import.meta.url');
  },
};

async function writeBundle(output: string): Promise<void> {
  const bundle = await rolldown({
    input: {
      ...Object.fromEntries(apps.map((name) => [`${name}-main`, join(checkout, 'apps', name, 'src', 'main.ts')])),
      'cli-main': join(checkout, 'apps', 'cli', 'src', 'main.ts'),
    },
    platform: 'node',
    external: (id) => external.test(id),
    plugins: [fileReferences],
    logLevel: 'warn',
    checks: { circularDependency: false, eval: false },
  });
  await bundle.write({
    dir: output,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  for (const name of apps) await writeProgram(output, name, `await import('./${name}-main.mjs');`);
  await writeProgram(output, 'cli', `const { main } = await import('./cli-main.mjs');\nawait main(process.argv);`);
}

/** A compile cache of its own: it is deleted with the bundle. */
function writeProgram(output: string, name: string, start: string): Promise<void> {
  const cache = "enableCompileCache(fileURLToPath(new URL('./compile-cache', import.meta.url)));";
  const imports = "import { enableCompileCache } from 'node:module';\nimport { fileURLToPath } from 'node:url';\n";
  return writeFile(join(output, `${name}.mjs`), `${imports}\n${cache}\n${start}\n`);
}

await writeBundle(process.argv[2] ?? '');
