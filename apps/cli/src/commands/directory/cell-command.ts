import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { InitCellOptions } from '../installation/cell/init-cell.ts';

export function declareCellCommands(program: Command, run: Run): void {
  const cell = program
    .command('cell')
    .description('manage cells: databases of read models with an ingest, jobs and topics of their own');
  declareCommand(cell, 'create', 'create a cell; then declare its database and run "tenantscope migrate"')
    .argument('<name>', 'a-z, 0-9 and hyphens')
    .requiredOption('--topic-prefix <prefix>', 'prefix of its topics')
    .action((name: string, options: { topicPrefix: string } & JsonOption) =>
      run(async (context) => (await import('./cell.ts')).createCell(name, options, context), options),
    );
  declareCommand(cell, 'init', 'add the files of a further cell to a Docker Compose installation of "init"')
    .argument('<name>', 'a-z, 0-9 and hyphens')
    .requiredOption('--topic-prefix <prefix>', 'prefix of its topics, which never changes')
    .option('--directory <path>', 'the directory of the installation', '.')
    .option('--postgres <host:port>', 'a PostgreSQL of your own instead of a container')
    .action((name: string, options: InitCellOptions & JsonOption) =>
      run(async () => (await import('../installation/cell/init-cell.ts')).initCell(name, options), options),
    );
  declareCommand(cell, 'list', 'list cells with their tenants and states').action((options: JsonOption) =>
    run(async (context) => (await import('./cell.ts')).listCells(context), options),
  );
}
