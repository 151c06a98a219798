import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const compressible = /\.(js|css|html)$/;

/** Writes each file in compressed form next to it, so that it is compressed once at build time. */
const compress: Plugin = {
  name: 'compress',
  writeBundle({ dir = '' }) {
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!compressible.test(name)) continue;
      const bytes = readFileSync(join(dir, name));
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes));
      writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    }
  },
};

// The output directory is named by the caller (`npm start` and the tests). No source maps: pages carry nothing that is not needed.
export default defineConfig({
  base: '/console/',
  plugins: [compress],
  build: {
    emptyOutDir: true,
    target: 'es2023',
    // Small assets as files too: the policy knows no data addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What knows light-dark(), dialogs and popovers.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      // Libraries say which of their modules are for browsers; here all are.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
});
