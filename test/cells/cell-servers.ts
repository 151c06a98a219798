import { type LocalServices, startTemporaryServices } from '@tenantscope/local';
import { type ConsoleStore, connectConsole } from '@tenantscope/store/console';
import { inject } from 'vitest';
import { type CellInstallation, createCellInstallation, moveUrl } from './cell-installation.ts';
import type { Cell } from './separate-cells.ts';

export interface CellServers extends AsyncDisposable {
  readonly servers: Readonly<Record<Cell, LocalServices<'postgres'>>>;
  readonly installation: CellInstallation;
  /** The store of the console. The installation does not end it. */
  connectStore(): Promise<ConsoleStore>;
}

/** Two cells and a control database, each on a server of its own, without processes. */
export async function startCellServers(): Promise<CellServers> {
  await using stack = new AsyncDisposableStack();
  const { kafka, redis, postgres } = inject('services');
  const start = async () => stack.use(await startTemporaryServices({ only: ['postgres'] }));
  const servers = { default: await start(), eu1: await start() };
  const installation = stack.use(
    await createCellInstallation({
      kafka,
      redis,
      postgres: { default: servers.default.postgres, eu1: servers.eu1.postgres },
      controlServer: postgres,
    }),
  );
  const { environment, cells } = installation;
  const all = stack.move();
  return {
    servers,
    installation,
    connectStore() {
      const models = environment.TENANTSCOPE_CONSOLE_DATABASE_URL as string;
      return connectConsole({
        control: environment.TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL as string,
        models,
        cells: [{ name: 'eu1', database: moveUrl(models, cells.get('eu1')?.database.owner as string) }],
      });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
