import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';

export function declarePseudonymsCommands(program: Command, run: Run): void {
  const pseudonyms = program.command('pseudonyms').description('resolve the pseudonyms of evidence packs');
  declareCommand(pseudonyms, 'create-key', 'create an X25519 key: its x is the recipientKey of a pack')
    .argument('<file>', 'where the private key is written; it must not exist')
    .action((file: string, options: JsonOption) =>
      run(async () => (await import('./pseudonyms.ts')).createRecipientKey(file), options),
    );
  declareCommand(pseudonyms, 'open', 'list the persons behind the pseudonyms of a pack')
    .argument('<file>', 'the saved pack; - reads standard input')
    .requiredOption('--key <jwk>', 'file with the private key')
    .action((file: string, options: { key: string } & JsonOption) =>
      run(async (context) => (await import('./pseudonyms.ts')).openPseudonyms(file, options, context), options),
    );
}
