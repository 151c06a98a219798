import { readOptions, type StartOptions, usage } from './start/options.ts';
import { run } from './start/run.ts';
import { say } from './start/screen.ts';

// `npm start`: services, migrations, api, ingest and jobs, and a demonstration to look at, until Ctrl-C.
const options = understand(process.argv.slice(2));
const stop = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(signal, () => stop.resolve());

const running = new AsyncDisposableStack();
let status = 0;
try {
  await Promise.race([run(options, running).then(() => stop.promise), stop.promise]);
  say('start', 'stopping …');
} catch (cause) {
  say('start', (cause as Error).message);
  status = 1;
}
const begunMs = performance.now();
await running.disposeAsync();
if (status === 0) say('start', `stopped in ${((performance.now() - begunMs) / 1000).toFixed(1)} s`);
process.exit(status);

function understand(words: readonly string[]): StartOptions {
  try {
    return readOptions(words);
  } catch (cause) {
    console.error(`${(cause as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
