import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../../declaration.ts';
import type { CapacityOptions } from './capacity.ts';

export function declareCapacityCommand(program: Command, run: Run): void {
  declareCommand(program, 'capacity', 'estimate disk, memory and partitions from measured sizes; connects to nothing')
    .requiredOption('--events-per-day <n>', 'events of all tenants together')
    .requiredOption('--tenants <n>', 'number of tenants')
    .option('--retention-days <n>', 'days for which the log is stored', '400')
    .option('--kafka-days <n>', 'days for which Kafka retains records', '7')
    .option('--kafka-replicas <n>', 'brokers that have each record', '3')
    .option('--peak-factor <n>', 'events of the busiest minute relative to the average', '4')
    .action((options: CapacityOptions & JsonOption) =>
      run(async () => (await import('./capacity.ts')).showCapacity(options), options),
    );
}
