import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { MigrateCommandOptions } from './migrate.ts';

export function declareMigrateCommand(program: Command, run: Run): void {
  declareCommand(program, 'migrate', 'create or upgrade roles, tables and topics')
    .option('--plan', 'show the migrations that would be applied, and change nothing')
    .option('--check', 'as --plan; exit status 1 unless the database is of this version')
    .option('--add-partitions', 'add partitions to existing topics that have fewer than planned')
    .option('--wait <seconds>', 'seconds to wait until the stores are reachable', '0')
    .action((options: MigrateCommandOptions & JsonOption) =>
      run(async (context) => (await import('./migrate.ts')).migrateAll(options, context), options),
    );
}
