import type { Command } from 'commander';
import { parseAssignment, parseInteger } from '../../input/option-parsers.ts';
import type { Run } from '../declaration.ts';
import type { TailOptions } from './tail.ts';

export function declareTailCommand(program: Command, run: Run): void {
  program
    .command('tail')
    .description('write the rows of a list through the API as NDJSON, oldest first, and wait for new ones')
    .argument(
      '<list>',
      'logs, detections, security-alerts, policy-scans, notifications, actions, users, agents and other lists',
    )
    .option(
      '--state <file>',
      'store the position in this file and continue from it; without it every start reads from --from',
    )
    .option('--from <time>', 'first row, when the file has no position yet (default: the oldest row)')
    .option(
      '--filter <name=value>',
      'filter of the list, for example action=FileDeleted; may be repeated',
      parseAssignment,
    )
    .option('--view <view>', 'rows as events of another schema, ocsf or ecs, where the list has views')
    .option('--once', 'end after the newest row instead of waiting')
    .option(
      '--interval <seconds>',
      'pause after the newest row',
      (text) => parseInteger(text, '--interval', { from: 1, to: 86_400 }),
      5,
    )
    .option('--all-tenants', 'rows of every tenant that the key reads, with one position for each')
    .option('--tenant <id>', 'tenant to read, for a key of an organization')
    .option('--url <url>', 'base URL of the API (default: TENANTSCOPE_URL); the key is read from TENANTSCOPE_KEY')
    .action((list: string, options: TailOptions) =>
      run(async (context) => (await import('./tail.ts')).tail(list, options, context), {}),
    );
}
