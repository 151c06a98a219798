import { defineConfig } from 'vite';

// Built into ../dist, which the console's server hands out. No source maps: pages carry nothing that is not needed.
export default defineConfig({
  base: '/console/',
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2023',
    // Small assets as files too: the policy knows no data addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
