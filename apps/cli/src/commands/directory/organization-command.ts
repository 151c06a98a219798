import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';

export function declareOrganizationCommands(program: Command, run: Run): void {
  const organization = program
    .command('org')
    .description('manage organizations; a key of an organization reads all its tenants');
  declareCommand(organization, 'create', 'create an organization')
    .requiredOption('--name <name>', 'display name')
    .action((options: { name: string } & JsonOption) =>
      run(async (context) => (await import('./organization.ts')).createOrganization(options, context), options),
    );
  declareCommand(organization, 'list', 'list organizations').action((options: JsonOption) =>
    run(async (context) => (await import('./organization.ts')).listOrganizations(context), options),
  );
}
