import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { AuditOptions } from './audit.ts';

const organization =
  'organization id, "installation" for events without an organization, or "read-models" for those of a separate database of read models (default: the only organization)';

export function declareAuditCommands(program: Command, run: Run): void {
  const audit = program.command('audit').description('list and verify the administrator audit log');
  declareCommand(audit, 'list', 'list audit events, newest first')
    .option('--org <id>', organization)
    .option('--cell <name>', 'with --org read-models, the cell whose read models they are (default: default)')
    .option('--limit <number>', 'maximum number of events, up to 1000', '50')
    .action((options: AuditOptions & { limit: string } & JsonOption) =>
      run(async (context) => (await import('./audit.ts')).listAudit(options, context), options),
    );
  declareCommand(audit, 'verify', 'verify the hash chain and report the first event that breaks it')
    .argument('[file]', 'an exported audit log, verified offline; - reads standard input')
    .option('--org <id>', organization)
    .option('--cell <name>', 'with --org read-models, the cell whose read models they are (default: default)')
    .action((file: string | undefined, options: AuditOptions & JsonOption) =>
      run(
        async (context) =>
          file === undefined
            ? (await import('./audit.ts')).verifyAudit(options, context)
            : (await import('./audit-file.ts')).verifyAuditFile(file, context),
        options,
      ),
    );
}
