import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { VerifyReceiptsOptions } from './verify-receipts.ts';

export function declareVerifyReceiptsCommand(program: Command, run: Run): void {
  declareCommand(program, 'verify-receipts', 'compare received rows of the log with the receipts of their days')
    .argument('<file>', 'rows as NDJSON, in the order in which they were received; - reads standard input')
    .option('--receipts <file>', 'saved response of /logs/receipts (default: requested from the API)')
    .option(
      '--from <time>',
      'first hour that the file must contain; with --receipts by default the hour of its first row',
    )
    .option('--to <time>', 'last hour that the file must contain (default: the last one of the receipts)')
    .option('--tenant <id>', 'tenant to request, for a key of an organization')
    .option('--url <url>', 'base URL of the API (default: TENANTSCOPE_URL); the key is read from TENANTSCOPE_KEY')
    .action((file: string, options: VerifyReceiptsOptions & JsonOption) =>
      run(async (context) => (await import('./verify-receipts.ts')).verifyReceipts(file, options, context), options),
    );
}
