import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '../checkout.ts';
import { writePrivateFile } from '../private-file.ts';
import type { Addresses } from '../services.ts';
import type { EnvironmentVariables } from './application.ts';
import type { DemoSettings } from './saved-settings.ts';
import type { SupervisedProcess } from './supervisor.ts';

/** The content of `.tenantscope/state.json`, for scripts. */
export interface State {
  baseUrl: string;
  mcpUrl: string;
  consoleUrl: string;
  /** Secrets of the demonstration's keys. */
  keys: Partial<DemoSettings['keys']>;
  tenants: DemoSettings['tenants'];
  /** Kafka as host:port, PostgreSQL and Redis as URLs of the owner's role. */
  services: Addresses;
  processes: { name: string; pid: number }[];
}

const stateFile = join(stateDirectory, 'state.json');
const environmentFile = join(stateDirectory, 'environment.json');

/** Updates the state file when processes change, once it is published: its existence means that everything is running. */
export function createStateFile(processes: readonly SupervisedProcess[]) {
  let published: Omit<State, 'processes'> | null = null;
  const update = async () => {
    if (published === null) return;
    const running = processes.flatMap(({ name, pid }) => (pid === null ? [] : [{ name, pid }]));
    await writePrivateFile(stateFile, { ...published, processes: running } satisfies State);
  };
  return {
    update,
    async publish(state: Omit<State, 'processes'>): Promise<void> {
      published = state;
      await update();
    },
  };
}

/** Writes the variables of all processes, for the operator CLI and for processes that are started manually. */
export async function writeEnvironment(environment: EnvironmentVariables): Promise<void> {
  await writePrivateFile(environmentFile, environment);
}

/** Removes the files of an earlier run, so that waiting scripts do not read them. */
export async function removeState(): Promise<void> {
  await Promise.all([stateFile, environmentFile].map((file) => rm(file, { force: true })));
}
