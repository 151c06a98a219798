import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { RestoreOptions } from './restore.ts';

export function declareRestoreCommands(program: Command, run: Run): void {
  const restore = program.command('restore').description('after the database was restored from a backup');
  declareCommand(restore, 'finish', 'apply what the ledger has and the database lacks, and let the processes serve')
    .option('--without-ledger', 'if the topic of the ledger is lost too: keys revoked since the backup work again')
    .option(
      '--without-moved-tenants',
      'if no backup has the tenants that were moved to the cell: their former rows are lost',
    )
    .option('--cell <name>', 'the cell whose database was restored', 'default')
    .option('--group <name>', 'consumer group of ingest; by default <topic prefix>.ingest')
    .action((options: RestoreOptions & JsonOption) =>
      run(async (context) => (await import('./restore.ts')).finishRestore(options, context), options),
    );
}
