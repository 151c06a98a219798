import { usageError } from '../../../command-error.ts';
import type { CommandContext } from '../../../context.ts';
import { parseInteger } from '../../../input/option-parsers.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatTable } from '../../../output/table.ts';
import { checkCells } from './cell-findings.ts';
import type { Finding } from './finding.ts';
import { checkKafka } from './kafka-findings.ts';
import { checkPostgres } from './postgres-findings.ts';
import { checkRedis } from './redis-findings.ts';

/**
 * Checks what the environment's variables name: reachability, TLS, logins and their rights, versions, clocks, eviction, topics and retention. Fails if one
 * of the checks does; warnings and what was not checked only show.
 */
export async function examine(
  { backupDays }: { backupDays: string },
  { environment }: CommandContext,
): Promise<CommandResult> {
  const days = parseInteger(backupDays, '--backup-days', { from: 0, to: 3_650 });
  const findings = (
    await Promise.all([
      checkPostgres(environment),
      checkCells(environment),
      checkKafka(environment, days),
      checkRedis(environment),
    ])
  ).flat();
  if (findings.length === 0)
    throw usageError(
      'no variable of a store is set; run it in the environment of a process, such as that of "tenantscope migrate"',
    );
  const failed = findings.filter(({ result }) => result === 'failed').length;
  const text = formatTable<Finding>(
    findings,
    [
      ['RESULT', ({ result }) => result],
      ['CHECK', ({ subject }) => subject],
      ['DETAIL', ({ detail }) => detail],
    ],
    '',
  );
  return {
    document: { findings },
    text,
    problems: failed === 0 ? [] : [`${failed} of ${findings.length} checks failed`],
  };
}
