import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { SkipOptions } from './lane-skip.ts';
import type { LaneOptions } from './lanes.ts';

const clusterOption = ['--cluster <name>', 'Kafka cluster of the lane', 'main'] as const;

export function declareLaneCommands(program: Command, run: Run): void {
  const lanes = program.command('lanes').description('inspect, resume and skip ingestion lanes (topic partitions)');
  declareCommand(lanes, 'list', 'list lanes with their state and position').action((options: JsonOption) =>
    run(async (context) => (await import('./lanes.ts')).listLanes(context), options),
  );
  declareCommand(lanes, 'resume', 'resume a stopped lane')
    .argument('<topic/partition>', 'lane, for example tenantscope.raw.activity.v1/3')
    .option(...clusterOption)
    .action((lane: string, options: LaneOptions & JsonOption) =>
      run(async (context) => (await import('./lanes.ts')).resumeLane(lane, options, context), options),
    );
  declareCommand(lanes, 'skip', 'skip records of a stopped or stalled lane; they become dead letters')
    .argument('<topic/partition>', 'lane, for example tenantscope.raw.activity.v1/3')
    .requiredOption('--to <offset>', 'first offset that is read again')
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option(...clusterOption)
    .option('--wait <seconds>', 'how long to wait for ingestion to complete it, up to 3600', '60')
    .action((lane: string, options: SkipOptions & JsonOption) =>
      run(async (context) => (await import('./lane-skip.ts')).skipLane(lane, options, context), options),
    );
}
