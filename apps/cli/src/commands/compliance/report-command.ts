import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { ReportOptions } from './report.ts';

export function declareReportCommand(program: Command, run: Run): void {
  declareCommand(program, 'report', 'render a report through the API as Markdown or HTML')
    .argument('<template>', 'template id, for example executive-summary')
    .option('--framework <key>', 'framework, for framework-readiness, for example nis2')
    .option('--from <time>', 'start of the period (default: set by the template)')
    .option('--to <time>', 'end of the period (default: now)')
    .option('--lang <lang>', 'language: en or pl')
    .option('--incident <id>', 'detection or security alert id, for incident-timeline')
    .option('--html <file>', 'write a self-contained HTML page; - writes to standard output')
    .option('--url <url>', 'base URL of the API (default: TENANTSCOPE_URL); the key is read from TENANTSCOPE_KEY')
    .option('--tenant <id>', 'tenant to read, for a key of an organization')
    .action((template: string, options: ReportOptions & JsonOption) =>
      run(async (context) => (await import('./report.ts')).renderReport(template, options, context), options),
    );
}
