import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { AwarenessOptions } from './incident.ts';

export function declareIncidentCommands(program: Command, run: Run): void {
  const incidents = program.command('incident').description('state facts about incidents');
  declareCommand(incidents, 'aware', 'state since when the organization was aware of an incident')
    .argument('<id>', 'detection or security alert id')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption(
      '--at <time>',
      'since when, ISO 8601 or epoch seconds; counts where it is earlier than what records show',
    )
    .option('--by <name>', 'who states it (default: current OS user)')
    .action((id: string, options: AwarenessOptions & JsonOption) =>
      run(async (context) => (await import('./incident.ts')).stateAwareness(id, options, context), options),
    );
}
