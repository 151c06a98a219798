import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../../declaration.ts';

export function declareDoctorCommand(program: Command, run: Run): void {
  declareCommand(program, 'doctor', 'check the stores and logins of this environment; changes nothing')
    .option('--backup-days <number>', 'age of the oldest backup that would be restored', '7')
    .action((options: { backupDays: string } & JsonOption) =>
      run(async (context) => (await import('./doctor.ts')).examine(options, context), options),
    );
}
