import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { AttestOptions } from './attest.ts';

export function declareAttestCommand(program: Command, run: Run): void {
  declareCommand(program, 'attest', 'record an attestation for a requirement')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--requirement <key>', 'requirement key, for example ai.attest.literacy')
    .requiredOption('--verdict <verdict>', 'compliant, partial, non_compliant or not_applicable')
    .option('--justification <text>', 'justification; required for not_applicable')
    .option(
      '--valid-until <time>',
      'expiry, ISO 8601 or epoch seconds (default and latest: as defined by the requirement)',
    )
    .option('--by <name>', 'attester (default: current OS user)')
    .action((options: AttestOptions & JsonOption) =>
      run(async (context) => (await import('./attest.ts')).writeAttestation(options, context), options),
    );
}
