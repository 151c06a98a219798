import type { Writable } from 'node:stream';
import { productVersion } from '@tenantscope/contract/version';
import { Command } from 'commander';
import { redact } from './command-error.ts';
import { declareAuditCommands } from './commands/administration/audit-command.ts';
import { declareConsoleCommands } from './commands/administration/console-command.ts';
import { declareMigrateCommand } from './commands/administration/migrate-command.ts';
import { declareRestoreCommands } from './commands/administration/restore-command.ts';
import { declareStatusCommand } from './commands/administration/status-command.ts';
import { declareAttestCommand } from './commands/compliance/attest-command.ts';
import { declareExceptionCommands } from './commands/compliance/exception-command.ts';
import { declareIncidentCommands } from './commands/compliance/incident-command.ts';
import { declarePseudonymsCommands } from './commands/compliance/pseudonyms-command.ts';
import { declareReportCommand } from './commands/compliance/report-command.ts';
import { declareSnapshotCommands } from './commands/compliance/snapshot-command.ts';
import { declareVerifyCommand } from './commands/compliance/verify-pack-command.ts';
import type { Run } from './commands/declaration.ts';
import { declareCellCommands } from './commands/directory/cell-command.ts';
import { declareKeyCommands } from './commands/directory/key-command.ts';
import { declareOrganizationCommands } from './commands/directory/organization-command.ts';
import { declareTenantCommands } from './commands/directory/tenant-command.ts';
import { declareVersionCommands } from './commands/directory/version-command.ts';
import { declareCollectorCommands } from './commands/ingestion/collector/collector-command.ts';
import { declareDeadLetterCommands } from './commands/ingestion/dead-letters/dead-letters-command.ts';
import { declareImportCommand } from './commands/ingestion/import/import-command.ts';
import { declareLaneCommands } from './commands/ingestion/lanes-command.ts';
import { declareSourceCommands } from './commands/ingestion/source-command.ts';
import { declareCapacityCommand } from './commands/installation/capacity/capacity-command.ts';
import { declareDoctorCommand } from './commands/installation/doctor/doctor-command.ts';
import { declareInitCommand } from './commands/installation/init-command.ts';
import { declareKafkaAclsCommand } from './commands/installation/kafka-acls-command.ts';
import { declareTailCommand } from './commands/polling/tail-command.ts';
import { declareVerifyReceiptsCommand } from './commands/polling/verify-receipts-command.ts';

/** In the order of the help. */
const declarations = [
  declareInitCommand,
  declareDoctorCommand,
  declareCapacityCommand,
  declareKafkaAclsCommand,
  declareMigrateCommand,
  declareRestoreCommands,
  declareOrganizationCommands,
  declareCellCommands,
  declareTenantCommands,
  declareKeyCommands,
  declareImportCommand,
  declareCollectorCommands,
  declareDeadLetterCommands,
  declarePseudonymsCommands,
  declareSnapshotCommands,
  declareAttestCommand,
  declareExceptionCommands,
  declareIncidentCommands,
  declareReportCommand,
  declareVerifyCommand,
  declareTailCommand,
  declareVerifyReceiptsCommand,
  declareConsoleCommands,
  declareAuditCommands,
  declareLaneCommands,
  declareSourceCommands,
  declareVersionCommands,
  declareStatusCommand,
];

/** Declares every command. A declaration imports its implementation when the command runs, so that no command loads the drivers of another. */
export function declareProgram(run: Run, { out, err }: { out: Writable; err: Writable }): Command {
  const program = new Command('tenantscope')
    .description('Tenantscope operator CLI')
    .version(productVersion)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      outputError: (text, write) => write(redact(text.replace(/^error: /, 'tenantscope: ')).concat('\n')),
    })
    .showHelpAfterError(false);
  for (const declare of declarations) declare(program, run);
  return program;
}
