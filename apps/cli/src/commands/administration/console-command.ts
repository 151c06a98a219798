import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { SetUpOptions } from './console.ts';

export function declareConsoleCommands(program: Command, run: Run): void {
  const console = program.command('console').description('manage access to the console');
  declareCommand(console, 'set-up', 'create a one-time token that sets up one account')
    .option('--org <id>', 'organization id (default: the only organization)')
    .option('--role <role>', 'admin, officer or viewer', 'admin')
    .option('--tenant <id...>', 'tenants that the account can read (default: all of the organization)')
    .action((options: SetUpOptions & JsonOption) =>
      run(async (context) => (await import('./console.ts')).setUpConsole(options, context), options),
    );
}
