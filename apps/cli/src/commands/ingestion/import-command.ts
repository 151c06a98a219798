import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { ImportOptions } from './import.ts';

export function declareImportCommand(program: Command, run: Run): void {
  declareCommand(program, 'import', 'publish records from files with one JSON document per line')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--format <format>', 'record format, for example o365.management-activity')
    .argument('<file...>', 'files to import; - reads standard input')
    .action((files: string[], options: ImportOptions & JsonOption) =>
      run(async (context) => (await import('./import.ts')).importFiles(files, options, context), options),
    );
}
