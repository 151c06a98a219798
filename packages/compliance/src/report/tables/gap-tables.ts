import type { ReportContent, RequirementStatus } from '@tenantscope/contract';
import { table } from '../content.ts';
import type { RenderContext } from '../report-writer.ts';
import {
  explainReason,
  formatCitations,
  formatMeasuredValue,
  formatTarget,
  translateTitle,
} from '../requirement-cells.ts';

export function buildGapTable(
  requirements: readonly RequirementStatus[],
  framework: string,
  { translate, lang }: RenderContext,
): ReportContent {
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['status', ['Status', 'Status'], 'status'],
      ['value', ['Measured', 'Zmierzono'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['why', ['Why', 'Dlaczego'], 'text'],
      ['articles', ['Articles', 'Artykuły'], 'text'],
      ['findings', ['Findings', 'Ustalenia'], 'text'],
    ],
    {
      rows: requirements.map((one) => [
        translateTitle(translate, one),
        one.status,
        formatMeasuredValue(one, lang),
        formatTarget(one, lang),
        explainReason(one, translate),
        formatCitations(one, framework, lang),
        one.findingsUrl,
      ]),
    },
  );
}

export function buildNotEvaluatedTable(
  requirements: readonly RequirementStatus[],
  framework: string,
  { translate, lang }: RenderContext,
): ReportContent {
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['why', ['Why', 'Dlaczego'], 'text'],
      ['asOf', ['Data until', 'Dane do'], 'instant'],
      ['articles', ['Articles', 'Artykuły'], 'text'],
    ],
    {
      rows: requirements.map((one) => [
        translateTitle(translate, one),
        explainReason(one, translate),
        one.dataAsOf,
        formatCitations(one, framework, lang),
      ]),
    },
  );
}
