import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { AttestOptions } from './attest.ts';
import type { ListAttestationsOptions, ShowAttestationOptions, WithdrawOptions } from './attestations.ts';

export function declareAttestCommand(program: Command, run: Run): void {
  const attest = program.command('attest').description('record, list, show and withdraw attestations of requirements');
  // Also without the name of the subcommand: `tenantscope attest` with its options.
  attest
    .command('record', { isDefault: true })
    .description('record an attestation for a requirement')
    .option('--json', 'output one JSON document')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--requirement <key>', 'requirement key, for example ai.attest.literacy')
    .requiredOption('--verdict <verdict>', 'compliant, partial, non_compliant or not_applicable')
    .option('--justification <text>', 'justification; required for not_applicable')
    .option(
      '--valid-until <time>',
      'expiry, ISO 8601 or epoch seconds (default and latest: as defined by the requirement)',
    )
    .option(
      '--evidence <reference...>',
      'evidence: an address, then its SHA-256 and its title where there are any, separated by spaces',
    )
    .option('--by <name>', 'attester (default: current OS user)')
    .action((options: AttestOptions & JsonOption) =>
      run(async (context) => (await import('./attest.ts')).writeAttestation(options, context), options),
    );
  declareCommand(attest, 'list', 'list the present attestations of a tenant')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--limit <number>', 'maximum number of attestations, up to 1000', '200')
    .action((options: ListAttestationsOptions & JsonOption) =>
      run(async (context) => (await import('./attestations.ts')).listAttestations(options, context), options),
    );
  declareCommand(attest, 'show', 'show every state of the attestations of a requirement, newest first')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--requirement <key>', 'requirement key')
    .action((options: ShowAttestationOptions & JsonOption) =>
      run(async (context) => (await import('./attestations.ts')).showAttestations(options, context), options),
    );
  declareCommand(attest, 'withdraw', 'withdraw the attestation of a requirement; its record stays')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--requirement <key>', 'requirement key')
    .requiredOption('--reason <text>', 'why it is withdrawn')
    .option('--id <id>', 'record to withdraw (default: the latest attestation of the whole requirement)')
    .option('--by <name>', 'who withdraws it (default: current OS user)')
    .action((options: WithdrawOptions & JsonOption) =>
      run(async (context) => (await import('./attestations.ts')).withdrawAttestation(options, context), options),
    );
}
