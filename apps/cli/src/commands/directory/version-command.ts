import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { ResetOptions } from './version.ts';

export function declareVersionCommands(program: Command, run: Run): void {
  const version = program.command('version').description('repair records that a version far ahead of the clock froze');
  declareCommand(version, 'reset', 'set such a version back, so that later states of the record apply')
    .argument(
      '<resource>',
      'organization, tenant, a kind of record such as detection, or a kind of entity such as user',
    )
    .argument('<id>', 'id of the record')
    .option('--tenant <id>', 'service id or upstream id of the tenant of a record or an entity')
    .option('--to <version>', 'version to set (default: the time at which the state was stored)')
    .option('--yes', 'set it; without it the command shows what would change', false)
    .action((resource: string, id: string, options: ResetOptions & JsonOption) =>
      run(async (context) => (await import('./version.ts')).resetVersion(resource, id, options, context), options),
    );
}
