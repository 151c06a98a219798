import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../../declaration.ts';
import type { BulkOptions } from './bulk.ts';
import type { ListOptions } from './dead-letters.ts';
import { addFilterOptions, type FilterOptions } from './filter-options.ts';

export function declareDeadLetterCommands(program: Command, run: Run): void {
  const deadLetters = program
    .command('dead-letters')
    .description('inspect, replay and discard records that could not be ingested');
  addFilterOptions(
    declareCommand(deadLetters, 'summary', 'count undecided dead letters by tenant, source, reason and cause'),
  )
    .option('--state <state>', 'count dead letters in this state: pending, replayed, settled or discarded', 'pending')
    .action((options: FilterOptions & { state: string } & JsonOption) =>
      run(async (context) => (await import('./dead-letters.ts')).summarizeDeadLetters(options, context), options),
    );
  addFilterOptions(declareCommand(deadLetters, 'list', 'list dead letters, newest first'))
    .option('--limit <number>', 'maximum number of dead letters, up to 1000', '50')
    .option('--state <state>', 'only dead letters in this state: pending, replayed, settled or discarded')
    .action((options: ListOptions & JsonOption) =>
      run(async (context) => (await import('./dead-letters.ts')).listDeadLetters(options, context), options),
    );
  declareCommand(deadLetters, 'show', 'show a dead letter with its original bytes')
    .argument('<id>', 'dead letter id')
    .action((id: string, options: JsonOption) =>
      run(async (context) => (await import('./dead-letters.ts')).showDeadLetter(id, context), options),
    );
  addFilterOptions(
    declareCommand(
      deadLetters,
      'replay',
      'publish the original messages again: those of the ids, or of a filter those that the current readers accept',
    ),
  )
    .option('--dry-run', 'report which dead letters the current readers accept; change nothing')
    .argument('[id...]', 'dead letter ids')
    .action((ids: string[], options: BulkOptions & JsonOption) =>
      run(async (context) => {
        if (ids.length > 0) return (await import('./dead-letters.ts')).replayDeadLetters(ids, options, context);
        return (await import('./bulk-replay.ts')).replayMany(options, context);
      }, options),
    );
  addFilterOptions(
    declareCommand(deadLetters, 'discard', 'discard dead letters; they stay readable until their retention ends'),
  )
    .option('--dry-run', 'count the dead letters; change nothing')
    .argument('[id...]', 'dead letter ids')
    .action((ids: string[], options: BulkOptions & JsonOption) =>
      run(async (context) => {
        if (ids.length > 0) return (await import('./dead-letters.ts')).discardDeadLetters(ids, options, context);
        return (await import('./bulk.ts')).discardMany(options, context);
      }, options),
    );
}
