import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '../checkout.ts';
import { writePrivate } from '../private-file.ts';
import type { Addresses } from '../services.ts';
import type { Environment } from './application.ts';
import type { KeptAlive } from './keep-alive.ts';
import type { Demo } from './kept.ts';

/** What runs, for scripts. */
export interface State {
  baseUrl: string;
  mcpUrl: string;
  consoleUrl: string;
  /** Secrets of the demonstration's keys. */
  keys: Partial<Demo['keys']>;
  tenants: Demo['tenants'];
  /** Kafka as host:port, PostgreSQL and Redis as URLs of the owner's role. */
  services: Addresses;
  processes: { name: string; pid: number }[];
}

const stateFile = join(stateDirectory, 'state.json');
const environmentFile = join(stateDirectory, 'environment.json');

/** The state file follows what happens to the processes, from the moment it is published: who waits for it finds everything up. */
export function openState(processes: readonly KeptAlive[]) {
  let published: Omit<State, 'processes'> | null = null;
  const changed = async () => {
    if (published === null) return;
    const alive = processes.flatMap(({ name, pid }) => (pid === null ? [] : [{ name, pid }]));
    await writePrivate(stateFile, { ...published, processes: alive } satisfies State);
  };
  return {
    changed,
    async publish(state: Omit<State, 'processes'>): Promise<void> {
      published = state;
      await changed();
    },
  };
}

/** Every variable of every process, for the operator's tool and for whoever runs one by hand. */
export async function writeEnvironment(environment: Environment): Promise<void> {
  await writePrivate(environmentFile, environment);
}

/** Whoever waits for the files must not find those of an earlier run. */
export async function removeState(): Promise<void> {
  await Promise.all([stateFile, environmentFile].map((file) => rm(file, { force: true })));
}
