import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { SourcesOptions } from './sources.ts';

export function declareSourcesCommand(program: Command, run: Run): void {
  declareCommand(program, 'sources', 'list the last event, gaps and rejected records of each source of a tenant')
    .option('--tenant <id>', 'only this tenant: service id or upstream id (all tenants)')
    .action((options: SourcesOptions & JsonOption) =>
      run(async (context) => (await import('./sources.ts')).listSources(options, context), options),
    );
}
