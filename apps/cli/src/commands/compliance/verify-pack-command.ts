import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { VerifyPackOptions } from './verify-pack.ts';

export function declareVerifyCommand(program: Command, run: Run): void {
  declareCommand(program, 'verify', 'verify an evidence pack offline')
    .argument('<file>', 'the saved response; - reads standard input')
    .option('--keys <jwks>', 'JWKS file with the public keys, as served at /evidence/jwks.json')
    .action((file: string, options: VerifyPackOptions & JsonOption) =>
      run(async (context) => (await import('./verify-pack.ts')).verifyPackFile(file, options, context), options),
    );
}
