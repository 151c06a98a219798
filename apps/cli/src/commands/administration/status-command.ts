import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';

export function declareStatusCommand(program: Command, run: Run): void {
  declareCommand(program, 'status', 'show how far each feed is complete and what needs attention').action(
    (options: JsonOption) => run(async (context) => (await import('./status.ts')).showStatus(context), options),
  );
}
