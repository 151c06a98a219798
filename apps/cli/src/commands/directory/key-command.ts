import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { KeyOptions, KeyOwner } from './key.ts';

export function declareKeyCommands(program: Command, run: Run): void {
  const key = program.command('key').description('manage API keys');
  declareCommand(key, 'create', 'create a key and show its secret once')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--scopes <a,b>', 'scopes separated by commas, or "all"')
    .option('--tenant <id>', 'tenant that the key reads: service id or upstream id')
    .option('--org <id>', 'organization whose tenants the key reads')
    .option('--expires-at <time>', 'expiry, ISO 8601 or epoch seconds (default: never)')
    .action((options: KeyOptions & JsonOption) =>
      run(async (context) => (await import('./key.ts')).createKey(options, context), options),
    );
  declareCommand(key, 'list', 'list keys without their secrets')
    .option('--tenant <id>', 'only keys of this tenant')
    .option('--org <id>', 'only keys of this organization')
    .action((options: KeyOwner & JsonOption) =>
      run(async (context) => (await import('./key.ts')).listKeys(options, context), options),
    );
  declareCommand(key, 'revoke', 'revoke a key; its next request gets 401')
    .argument('<id>', 'key id')
    .action((id: string, options: JsonOption) =>
      run(async (context) => (await import('./key.ts')).revokeKey(id, context), options),
    );
}
