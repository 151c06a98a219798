import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { ListOptions, NewSourceOptions, SourceOptions } from './source.ts';
import type { SourcesOptions } from './sources.ts';

const clusterOption = [
  '--cluster <name>',
  'Kafka cluster of the topic, one of TENANTSCOPE_KAFKA_CLUSTERS or main',
  'main',
] as const;

export function declareSourceCommands(program: Command, run: Run): void {
  const source = program
    .command('source')
    .description('bind topics of collectors to a format and a tenant, and show how far each source of a tenant is');
  declareCommand(source, 'create', 'bind a topic whose messages have no envelope')
    .requiredOption('--topic <topic>', 'name of the topic')
    .requiredOption('--format <format>', 'record format, for example okta.system-log')
    .option('--tenant <id>', 'tenant of all records, by service id or upstream id')
    .option('--tenant-from <member>', 'member of each record that has the upstream id of its tenant')
    .option(...clusterOption)
    .action((options: NewSourceOptions & JsonOption) =>
      run(async (context) => (await import('./source.ts')).createSource(options, context), options),
    );
  declareCommand(source, 'list', 'list source bindings with what ingestion reads of them')
    .option('--removed', 'also removed ones', false)
    .action((options: ListOptions & JsonOption) =>
      run(async (context) => (await import('./source.ts')).listSourceBindings(options, context), options),
    );
  declareCommand(source, 'remove', 'remove the binding of a topic; ingestion stops reading the topic')
    .requiredOption('--topic <topic>', 'name of the topic')
    .option(...clusterOption)
    .action((options: SourceOptions & JsonOption) =>
      run(async (context) => (await import('./source.ts')).removeSource(options, context), options),
    );
  declareStatus(source.command('status'), run);
  // Its former name, which scripts may have.
  declareStatus(program.command('sources', { hidden: true }), run);
}

const declareStatus = (command: Command, run: Run) =>
  command
    .description('list the last event, gaps and rejected records of each source of a tenant')
    .option('--json', 'output one JSON document')
    .option('--tenant <id>', 'only this tenant: service id or upstream id (all tenants)')
    .action((options: SourcesOptions & JsonOption) =>
      run(async (context) => (await import('./sources.ts')).listSources(options, context), options),
    );
