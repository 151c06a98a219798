#!/usr/bin/env node
// Uses only syntax of old Node versions: an older one runs the version that the checkout pins.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;

if (Number(process.versions.node.split('.')[0]) >= neededMajor) {
  // Loading code takes most of a command's time: a compile cache halves it.
  module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/tenantscope', import.meta.url)));
  const { main } = await import('../src/main.ts');
  await main(process.argv);
} else {
  const pinned = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));
  if (!existsSync(pinned)) {
    console.error(
      `tenantscope: Node ${neededMajor} or later is required; this is ${process.versions.node}. Run "npm ci" in the checkout.`,
    );
    process.exit(1);
  }
  const self = fileURLToPath(import.meta.url);
  const { status, signal } = spawnSync(pinned, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exit(status ?? 128 + (constants.signals[signal] ?? 1));
}
