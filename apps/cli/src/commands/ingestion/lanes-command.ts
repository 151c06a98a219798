import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';

export function declareLaneCommands(program: Command, run: Run): void {
  const lanes = program.command('lanes').description('inspect and resume ingestion lanes (topic partitions)');
  declareCommand(lanes, 'list', 'list lanes with their state and position').action((options: JsonOption) =>
    run(async (context) => (await import('./lanes.ts')).listLanes(context), options),
  );
  declareCommand(lanes, 'resume', 'resume a stopped lane')
    .argument('<topic/partition>', 'lane, for example tenantscope.raw.activity.v1/3')
    .action((lane: string, options: JsonOption) =>
      run(async (context) => (await import('./lanes.ts')).resumeLane(lane, context), options),
    );
}
