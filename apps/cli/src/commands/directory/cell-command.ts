import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';

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
  declareCommand(cell, 'list', 'list cells with their tenants and states').action((options: JsonOption) =>
    run(async (context) => (await import('./cell.ts')).listCells(context), options),
  );
}
