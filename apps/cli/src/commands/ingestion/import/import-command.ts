import { type Command, Option } from 'commander';
import { inputKinds } from '../../../input/record/record-reader.ts';
import { declareCommand, type JsonOption, type Run } from '../../declaration.ts';
import type { ImportOptions } from './import.ts';

export function declareImportCommand(program: Command, run: Run): void {
  declareCommand(program, 'import', 'publish the records of files and report what became of them')
    .option('--tenant <id>', 'service id or upstream id')
    .option(
      '--format <format>',
      'record format, for example o365.management-activity; by default the one that the first records look like',
    )
    .addOption(new Option('--input <kind>', 'how files are split into records').choices([...inputKinds]))
    .option('--dry-run', 'show what the first three records would become; publish nothing')
    .option('--no-wait', 'do not wait until ingestion has settled the records')
    .option('--resume <import>', 'continue an interrupted import, with its tenant, format and files')
    .argument('[file...]', 'files, also compressed with gzip, zstd or ZIP; - reads standard input')
    .action((files: string[], options: ImportOptions & JsonOption) =>
      run(async (context) => (await import('./import.ts')).importFiles(files, options, context), options),
    );
  const imports = program.command('imports').description('list imports and show what became of their records');
  declareCommand(imports, 'list', 'list imports, newest first')
    .option('--limit <number>', 'maximum number of imports, up to 1000', '20')
    .option('--tenant <id>', 'only imports of this tenant: service id or upstream id')
    .action((options: { limit: string; tenant?: string } & JsonOption) =>
      run(async (context) => (await import('./imports.ts')).listImports(options, context), options),
    );
  declareCommand(imports, 'show', 'show the result of an import')
    .argument('<id>', 'import id')
    .action((id: string, options: JsonOption) =>
      run(async (context) => (await import('./imports.ts')).showImport(id, context), options),
    );
}
