import type { ReportContent, RequirementStatus } from '@tenantscope/contract';
import { requirementCatalogue } from '../../catalogue/requirement.ts';
import { table } from '../content.ts';
import type { RenderContext } from '../report-writer.ts';
import { translateTitle } from '../requirement-cells.ts';
import { listSourceNames } from '../source-labels.ts';

/** What is measured or attested for each requirement, and the sources that it needs, in the order given. */
export function buildDefinitionTable(
  { translate }: Pick<RenderContext, 'translate'>,
  requirements: readonly RequirementStatus[],
): ReportContent {
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['definition', ['What is measured or attested', 'Co się mierzy lub poświadcza'], 'text'],
      ['sources', ['Sources', 'Źródła'], 'text'],
    ],
    {
      rows: requirements.map((one) => [
        translateTitle(translate, one),
        translate([one.description, one.descriptionPl]),
        translate(listSourceNames(findSources(one.key))) || null,
      ]),
      maxRows: requirementCatalogue.length,
    },
  );
}

const findSources = (key: string): readonly string[] =>
  requirementCatalogue.find((one) => one.key === key)?.sources ?? [];
