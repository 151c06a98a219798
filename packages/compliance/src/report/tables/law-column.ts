import type { FrameworkStatus, ReportCell } from '@tenantscope/contract';
import type { ColumnPlan } from '../content.ts';
import type { Translate } from '../language.ts';

/**
 * A first column with the law of each article where a table has articles of several: a citation such as "Art. 73" does not name it.
 */
export function planLawColumn(
  frameworks: readonly FrameworkStatus[],
  translate: Translate,
): { readonly columns: readonly ColumnPlan[]; cells(framework: FrameworkStatus): readonly ReportCell[] } {
  if (frameworks.length < 2) return { columns: [], cells: () => [] };
  return {
    columns: [['law', ['Law', 'Akt prawny'], 'text']],
    cells: ({ name, namePl }) => [translate([name, namePl])],
  };
}
