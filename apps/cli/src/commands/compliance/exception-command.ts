import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { AddExceptionOptions } from './add-exception.ts';
import type { ListExceptionsOptions, ShowExceptionOptions, WithdrawExceptionOptions } from './exceptions.ts';

export function declareExceptionCommands(program: Command, run: Run): void {
  const exception = program
    .command('exception')
    .description('add, list, show and withdraw approved exceptions from measured requirements');
  declareCommand(exception, 'add', 'except subjects from a measured requirement until a date')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--requirement <key>', 'requirement key, for example iam.mfa.members')
    .requiredOption('--reason <text>', 'why the subjects are excepted')
    .requiredOption('--approved-by <name>', 'who approved it')
    .requiredOption('--valid-until <time>', 'expiry, ISO 8601 or epoch seconds; at most a year after --valid-from')
    .option('--valid-from <time>', 'begin (default: now); it never counts before it is recorded')
    .option('--subject <id...>', 'ids of the subjects, as in findings; compared exactly')
    .option('--subject-name <pattern>', 'instead of ids: subjects by name, later ones included; * matches any text')
    .option('--subject-type <type>', 'only subjects of this type, together with --subject-name or --detail')
    .option('--detail <name=pattern...>', 'subjects by a member of detail of their findings')
    .option(
      '--evidence <reference...>',
      'evidence: an address, then its SHA-256 and its title where there are any, separated by spaces',
    )
    .action((options: AddExceptionOptions & JsonOption) =>
      run(async (context) => (await import('./add-exception.ts')).addException(options, context), options),
    );
  declareCommand(exception, 'list', 'list the present exceptions of a tenant')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--requirement <key>', 'only of this requirement')
    .option('--limit <number>', 'maximum number of exceptions, up to 1000', '200')
    .action((options: ListExceptionsOptions & JsonOption) =>
      run(async (context) => (await import('./exceptions.ts')).listExceptions(options, context), options),
    );
  declareCommand(exception, 'show', 'show every state of an exception, newest first')
    .argument('<id>', 'id of the exception')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .action((id: string, options: ShowExceptionOptions & JsonOption) =>
      run(async (context) => (await import('./exceptions.ts')).showException(id, options, context), options),
    );
  declareCommand(exception, 'withdraw', 'withdraw an exception; its record stays')
    .argument('<id>', 'id of the exception')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--reason <text>', 'why it is withdrawn')
    .option('--by <name>', 'who withdraws it (default: current OS user)')
    .action((id: string, options: WithdrawExceptionOptions & JsonOption) =>
      run(async (context) => (await import('./exceptions.ts')).withdrawException(id, options, context), options),
    );
}
