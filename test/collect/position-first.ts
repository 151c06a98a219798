import { registerHooks } from 'node:module';

/**
 * Loaded with `--import` into a collecting process: changes its source, so that the position is stored before Kafka has the records. The test of killed
 * collectors must find what such a process loses.
 */
const publishing = 'await publishPage(stream, page, sentAtMs, dependencies)';
const storing = /await advanceStream\(control, stream\.leaseId, progress\)/;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/apps/collect/src/collection/stream-run.ts')) return loaded;
    const source = String(loaded.source);
    const changed = source
      .replace(publishing, '[]')
      .replace(storing, `await (async () => { const isStored = $&; ${publishing}; return isStored; })()`);
    if (!changed.includes('const tooLong = [];') || !changed.includes('isStored'))
      throw new Error('the order of publication and position has another source text; adapt this module');
    return { ...loaded, source: changed };
  },
});
