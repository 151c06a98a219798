import { exitWithUsage } from './script-arguments.ts';
import { parseStartOptions, type StartOptions, usage } from './start/options.ts';
import { startProduct } from './start/start-product.ts';
import { writeLine } from './start/terminal.ts';

// `npm start`: services, migrations, all processes and the demonstration, until Ctrl-C. `npm run dev`: the same with --watch.
const options = parseOptions(process.argv.slice(2));
const stop = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(signal, () => stop.resolve());

const running = new AsyncDisposableStack();
let status = 0;
try {
  await Promise.race([startProduct(options, running).then(() => stop.promise), stop.promise]);
  writeLine('start', 'stopping …');
} catch (cause) {
  writeLine('start', (cause as Error).message);
  status = 1;
}
const stoppingAtMs = performance.now();
await running.disposeAsync();
if (status === 0) writeLine('start', `stopped in ${((performance.now() - stoppingAtMs) / 1000).toFixed(1)} s`);
process.exit(status);

function parseOptions(args: readonly string[]): StartOptions {
  try {
    return parseStartOptions(args);
  } catch (cause) {
    exitWithUsage((cause as Error).message, usage);
  }
}
