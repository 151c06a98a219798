import { collectorProviderNames } from '@tenantscope/contract';
import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../../declaration.ts';
import type { CollectorOptions } from './collector-options.ts';

export function declareCollectorCommands(program: Command, run: Run): void {
  const collector = program.command('collector').description('manage collectors, which pull records from providers');
  declareCommand(collector, 'create', 'collect the records of a provider for a tenant')
    .argument('<provider>', collectorProviderNames.join(', '))
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption(
      '--secret-file <path>',
      'absolute path of the file with the secret, where the collecting process runs; it is never stored',
    )
    .option('--url <url>', "address of the provider's API, such as https://example.okta.com")
    .option(
      '--client-id <id>',
      'application id of the app registration (Microsoft); client id of a service integration (Okta)',
    )
    .option('--directory-id <id>', "id of the Microsoft Entra tenant (the tenant's upstream id)")
    .option('--subject <address>', 'administrator as whom the service account reads (Google)')
    .option('--login-url <url>', 'where tokens are requested (Microsoft and Google: their own)')
    .option('--from <time>', 'RFC 3339 time or date of the oldest records (as far back as the provider retains them)')
    .option('--stream <name...>', 'only these streams (all)')
    .option('--interval <seconds>', 'seconds between two runs, 1 to 86400 (by provider)')
    .action((provider: string, options: CollectorOptions & JsonOption) =>
      run(async (context) => (await import('./collector.ts')).createCollector(provider, options, context), options),
    );
  declareCommand(collector, 'list', 'list collectors with the progress and failures of their streams')
    .option('--tenant <id>', 'only this tenant: service id or upstream id (all tenants)')
    .action((options: { tenant?: string } & JsonOption) =>
      run(async (context) => (await import('./collector.ts')).listCollectors(options, context), options),
    );
  for (const [name, description] of changes) {
    declareCommand(collector, name, description)
      .argument('<id>', 'id of the collector')
      .action((id: string, options: JsonOption) =>
        run(async (context) => (await import('./collector.ts')).changeCollector(id, name, context), options),
      );
  }
}

const changes = [
  ['pause', 'stop requests of a collector; its positions remain'],
  ['resume', 'continue a paused collector where it was'],
  ['remove', 'remove a collector and its positions from the list; records that were collected remain'],
] as const;
