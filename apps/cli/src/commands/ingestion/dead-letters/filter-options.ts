import { deadLetterReasons } from '@tenantscope/intake/rejection';
import type { DeadLetterFilter } from '@tenantscope/store/admin';
import type { Command } from 'commander';
import { usageError } from '../../../command-error.ts';
import { parseChoice, parseGuid } from '../../../input/option-parsers.ts';

/** Which dead letters a command is about, as options. */
export interface FilterOptions {
  readonly tenant?: string;
  readonly source?: string;
  readonly reason?: string;
  readonly import?: string;
  readonly from?: string;
  readonly to?: string;
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--tenant <id>', 'only dead letters of this tenant')
    .option('--source <name>', 'only of this topic, with or without prefix, or of this format')
    .option('--reason <reason>', 'only dead letters with this reason')
    .option('--import <id>', 'only dead letters of this import')
    .option('--from <time>', 'only dead-lettered at or after this time')
    .option('--to <time>', 'only dead-lettered at or before this time');
}

export function parseFilter(options: FilterOptions): DeadLetterFilter {
  return {
    // Not looked up: dead letters may belong to tenants that do not exist.
    tenantId: options.tenant === undefined ? undefined : parseGuid(options.tenant, '--tenant'),
    source: options.source,
    reason: options.reason === undefined ? undefined : parseChoice(options.reason, deadLetterReasons, '--reason'),
    importId: options.import === undefined ? undefined : parseGuid(options.import, '--import'),
    from: parseTime(options.from, '--from'),
    to: parseTime(options.to, '--to'),
  };
}

export function hasFilter(options: FilterOptions): boolean {
  return [options.tenant, options.source, options.reason, options.import, options.from, options.to].some(
    (option) => option !== undefined,
  );
}

const timePattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

function parseTime(text: string | undefined, option: string): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!timePattern.test(text) || Number.isNaN(time.getTime()))
    throw usageError(`${option} must be a date or a time with a zone, for example 2026-11-22T08:00:00Z`);
  return time;
}
