import { defaultCell, describePostgresError, nameCellVariable } from '@tenantscope/runtime';
import { type CellInspection, inspectCell } from '@tenantscope/store/admin';
import { readOwnerUrls } from '../../../connections/connection-settings.ts';
import type { Environment } from '../../../connections/environment.ts';
import { formatCount } from '../../../output/count.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 5_000;

/** The further cells that the environment declares, whether or not their names are valid. */
export const listCells = (environment: Environment): readonly string[] =>
  environment.TENANTSCOPE_CELLS?.split(',')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '') ?? [];

/**
 * Checks that the database of each declared cell is its own, has the migrations of this version, and partitions of the same width, without which no tenant is moved.
 * With the login of the owner: others do not read what was migrated.
 */
export async function checkCells(environment: Environment): Promise<readonly Finding[]> {
  if (!environment.TENANTSCOPE_CELLS) return [];
  const subject = 'Cells, TENANTSCOPE_CELLS';
  if (!environment.TENANTSCOPE_OWNER_DATABASE_URL && !environment.TENANTSCOPE_OWNER_DATABASE_URL_FILE)
    return [{ subject, result: 'not checked', detail: 'needs TENANTSCOPE_OWNER_DATABASE_URL' }];
  try {
    const { cells, control, models } = readOwnerUrls(environment);
    const inspected = await Promise.all(
      cells.map(async ({ cell, owner }) => ({
        cell,
        inspection: await inspectCell(owner, timeoutMs, owner === models && models === control).catch(
          (error: unknown) => describePostgresError(error) ?? (error as Error).message,
        ),
      })),
    );
    const [first] = inspected;
    const width = typeof first?.inspection === 'object' ? first.inspection.partitionWidth : null;
    return inspected.map(({ cell, inspection }) => describeCell(cell, inspection, width));
  } catch (error) {
    return [{ subject, result: 'failed', detail: (error as Error).message }];
  }
}

function describeCell(cell: string, inspection: CellInspection | string, defaultWidth: string | null): Finding {
  const variable =
    cell === defaultCell ? 'TENANTSCOPE_OWNER_DATABASE_URL' : nameCellVariable(cell, 'TENANTSCOPE_CELL_DATABASE');
  const subject = `Cell ${cell}, ${variable}`;
  if (typeof inspection === 'string') return { subject, result: 'failed', detail: inspection };
  const { cell: found, partitionWidth, pending, unknown } = inspection;
  const fail = (detail: string): Finding => ({ subject, result: 'failed', detail });
  if (found !== null && found !== cell) return fail(`the database is that of the cell ${found}; correct the address`);
  if (unknown.length > 0)
    return fail(`migrated by a newer version: ${unknown.join(', ')}; use the tenantscope of that version`);
  if (pending.length > 0)
    return fail(
      `${formatCount(pending.length, 'migration is', 'migrations are')} not applied, first ${pending[0]}; run "tenantscope migrate"`,
    );
  if (partitionWidth !== defaultWidth && defaultWidth !== null)
    return {
      subject,
      result: 'warning',
      detail: `partition_width is ${partitionWidth}, and ${defaultWidth} in the cell default: no tenant can be moved between them`,
    };
  return { subject, result: 'ok', detail: `migrated, partition_width ${partitionWidth}` };
}
