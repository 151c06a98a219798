import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';

export function declareConsoleCommands(program: Command, run: Run): void {
  const console = program.command('console').description('manage access to the console');
  declareCommand(console, 'set-up', 'create a one-time token that sets up one administrator')
    .option('--org <id>', 'organization id (default: the only organization)')
    .action((options: { org?: string } & JsonOption) =>
      run(async (context) => (await import('./console.ts')).setUpConsole(options, context), options),
    );
}
