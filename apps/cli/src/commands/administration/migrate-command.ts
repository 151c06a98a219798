import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';

export function declareMigrateCommand(program: Command, run: Run): void {
  declareCommand(program, 'migrate', 'create or upgrade roles, tables and topics')
    .option('--add-partitions', 'add partitions to existing topics that have fewer than planned')
    .action((options: { addPartitions?: boolean } & JsonOption) =>
      run(async (context) => (await import('./migrate.ts')).migrateAll(options, context), options),
    );
}
