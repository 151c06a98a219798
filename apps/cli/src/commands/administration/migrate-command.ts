import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';

export function declareMigrateCommand(program: Command, run: Run): void {
  declareCommand(program, 'migrate', 'create or upgrade roles, tables and topics')
    .option('--add-partitions', 'add partitions to existing topics that have fewer than planned')
    .option('--wait <seconds>', 'seconds to wait until the stores are reachable', '0')
    .action((options: { addPartitions?: boolean; wait: string } & JsonOption) =>
      run(async (context) => (await import('./migrate.ts')).migrateAll(options, context), options),
    );
}
