import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { VerifyOptions } from './snapshot.ts';

export function declareSnapshotCommands(program: Command, run: Run): void {
  const snapshots = program.command('snapshot').description('take, list and verify compliance snapshots');
  declareCommand(snapshots, 'take', 'request a snapshot and wait until it is taken')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--wait <seconds>', 'how long to wait', '60')
    .action((options: { tenant: string; wait: string } & JsonOption) =>
      run(async (context) => (await import('./snapshot.ts')).takeSnapshot(options, context), options),
    );
  declareCommand(snapshots, 'list', 'list snapshots, newest first')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--limit <number>', 'maximum number of snapshots, up to 1000', '50')
    .action((options: { tenant: string; limit: string } & JsonOption) =>
      run(async (context) => (await import('./snapshot.ts')).listSnapshots(options, context), options),
    );
  declareCommand(snapshots, 'verify', 'verify the hash chain and report the first snapshot that breaks it')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--head <digest>', 'SHA-256 digest recorded earlier, which must be in the chain')
    .option('--keys <file>', 'JWKS file with the public keys of the signatures')
    .action((options: VerifyOptions & JsonOption) =>
      run(async (context) => (await import('./snapshot.ts')).verifySnapshots(options, context), options),
    );
}
