import type { FrameworkStatus, ReportCell } from '@tenantscope/contract';
import type { ColumnPlan } from '../content.ts';
import type { LocalizedText, Translate } from '../language.ts';

type Law = Pick<FrameworkStatus, 'key' | 'name' | 'namePl'>;

/** What lawyers call a law after they have named it in full, where that is shorter. */
const shortNames: Readonly<Record<string, LocalizedText>> = {
  eu_ai_act: ['EU AI Act', 'AI Act'],
  ksc: ['KSC', 'ustawa o KSC'],
  kribsi: ['KRiBSI', 'ustawa o KRiBSI'],
};

/**
 * A first column with the law of each article where a table has articles of several: a citation such as "Art. 73" does not name it. The first
 * row of a law has its name in full, which takes up to four lines.
 */
export function planLawColumn(
  frameworks: readonly Law[],
  translate: Translate,
): { readonly columns: readonly ColumnPlan[]; cells(framework: Law): readonly ReportCell[] } {
  if (frameworks.length < 2) return { columns: [], cells: () => [] };
  const named = new Set<string>();
  return {
    columns: [['law', ['Law', 'Akt prawny'], 'text']],
    cells: ({ key, name, namePl }) => {
      const full: LocalizedText = [name, namePl];
      if (named.has(key)) return [translate(shortNames[key] ?? full)];
      named.add(key);
      return [translate(full)];
    },
  };
}
