import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readScriptArguments } from '@tenantscope/local';
import { readExpectedFiles } from '../comparison/expected-files.ts';
import { renderComparison } from '../comparison/render-comparison.ts';
import { measureCoverage } from './measure-coverage.ts';
import { renderCoverage, renderUnserved } from './render-coverage.ts';
import { readSharedFiles, sharedRecordsFolder } from './shared-records.ts';

// Measures which values of published records the rows show: prints what is not served, or writes docs/coverage.md.
const { values } = readScriptArguments(
  'node infra/docs/src/coverage/main.ts [--records FOLDER] [--format PREFIX] [--names] [--write]',
  {
    options: {
      records: { type: 'string', default: sharedRecordsFolder },
      format: { type: 'string', default: '' },
      names: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  },
);
const files = readSharedFiles(values.records);
if (files === null) throw new Error(`no records: ${values.records} is missing; give their folder with --records`);
if (values.write) {
  const path = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'coverage.md');
  await writeFile(
    path,
    renderCoverage(measureCoverage(files), renderComparison(readExpectedFiles(values.records) ?? [])),
  );
  console.log('docs/coverage.md written');
} else {
  const chosen = files.filter(({ format }) => format.startsWith(values.format));
  console.log(renderUnserved(measureCoverage(chosen, values.names)));
}
