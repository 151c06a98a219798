import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stateDirectory } from '../checkout.ts';

export interface StartOptions {
  /** Port of the API on 127.0.0.1. */
  port: number;
  /** Whether to create the demonstration's tenants and publish their activity. */
  demo: boolean;
  /** Directory of the services' data. */
  directory: string;
  /** Whether to restart processes and reload console pages when their sources change (`npm run dev`). */
  watch: boolean;
}

export const usage = `npm start -- [--port N] [--no-demo] [--data DIR]
npm run dev -- [the same options]
  --port N     port of the API on 127.0.0.1 (8080)
  --no-demo    without demonstration tenants, keys and activity
  --data DIR   directory of the data (.tenantscope/services)`;

/** Parses the arguments after `npm start --`. Throws an Error whose message can be shown. */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      port: { type: 'string', default: '8080' },
      demo: { type: 'boolean', default: true },
      data: { type: 'string', default: join(stateDirectory, 'services') },
      watch: { type: 'boolean', default: false },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--port ${values.port}: must be a number from 1 to 65535`);
  return { port, demo: values.demo, directory: resolve(values.data), watch: values.watch };
}
