import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { DeadLetterFilter } from './dead-letters.ts';

export function declareDeadLetterCommands(program: Command, run: Run): void {
  const deadLetters = program
    .command('dead-letters')
    .description('inspect, replay and discard records that could not be ingested');
  declareCommand(deadLetters, 'list', 'list dead letters, newest first')
    .option('--limit <number>', 'maximum number of dead letters, up to 1000', '50')
    .option('--tenant <id>', 'only dead letters of this tenant')
    .option('--reason <reason>', 'only dead letters with this reason')
    .option('--state <state>', 'only dead letters in this state: pending, replayed, settled or discarded')
    .action((options: DeadLetterFilter & JsonOption) =>
      run(async (context) => (await import('./dead-letters.ts')).listDeadLetters(options, context), options),
    );
  declareCommand(deadLetters, 'show', 'show a dead letter with its original bytes')
    .argument('<id>', 'dead letter id')
    .action((id: string, options: JsonOption) =>
      run(async (context) => (await import('./dead-letters.ts')).showDeadLetter(id, context), options),
    );
  declareCommand(deadLetters, 'replay', 'publish the original messages again')
    .argument('<id...>', 'dead letter ids')
    .action((ids: string[], options: JsonOption) =>
      run(async (context) => (await import('./dead-letters.ts')).replayDeadLetters(ids, context), options),
    );
  declareCommand(deadLetters, 'discard', 'discard dead letters; they stay readable until their retention ends')
    .argument('<id...>', 'dead letter ids')
    .action((ids: string[], options: JsonOption) =>
      run(async (context) => (await import('./dead-letters.ts')).discardDeadLetters(ids, context), options),
    );
}
