import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stateDirectory } from '../checkout.ts';

export interface StartOptions {
  /** Of the API on 127.0.0.1. */
  port: number;
  /** Whether to make and feed the demonstration's tenants. */
  demo: boolean;
  /** Holds what the services keep. */
  directory: string;
}

export const usage = `npm start -- [--port N] [--no-demo] [--data DIR]
  --port N     where the API listens on 127.0.0.1 (8080)
  --no-demo    no demonstration tenants, keys and activity
  --data DIR   keep the data there (.tenantscope/services)`;

/** Reads the words after `npm start --`; throws an Error fit to be shown. */
export function readOptions(words: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...words],
    allowNegative: true,
    options: {
      port: { type: 'string', default: '8080' },
      demo: { type: 'boolean', default: true },
      data: { type: 'string', default: join(stateDirectory, 'services') },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--port ${values.port} is no port`);
  return { port, demo: values.demo, directory: resolve(values.data) };
}
