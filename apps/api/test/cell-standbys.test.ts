import { createMetrics, readCells } from '@tenantscope/runtime';
import type { WatermarkBounds } from '@tenantscope/store/read';
import { expect, test } from 'vitest';
import { createProtectionReport, openStandbys } from '../src/cells/standbys.ts';
import { registerMetrics } from '../src/metrics.ts';

const [cell] = readCells({ TENANTSCOPE_CELLS: ['eu-1'] }, 'postgres://api:p@127.0.0.1/tenantscope', {
  TENANTSCOPE_CELL_EU_1_DATABASE: '127.0.0.1:5432/tenantscope',
  TENANTSCOPE_CELL_EU_1_STANDBYS: '127.0.0.1:5433,127.0.0.1:5434',
  TENANTSCOPE_CELL_EU_1_STANDBY_NAMES: 'pg-2',
});
if (cell === undefined) throw new Error('there is no cell');

test('names that are fewer than the standbys of a further cell are reported with its variables', () => {
  expect(() => openStandbys(cell)).toThrow(
    'TENANTSCOPE_CELL_EU_1_STANDBY_NAMES needs a name for each address of TENANTSCOPE_CELL_EU_1_STANDBYS',
  );
});

test('a standby of a further cell that commits wait for and that is not named is reported with its variable', () => {
  const bounds: WatermarkBounds = { epoch: null, isSuperseded: false, unlisted: ['pg-3'], standbys: [] };
  const report = createProtectionReport(
    {
      name: cell.name,
      standbys: { labels: ['pg-2'], variables: cell.variables },
      watermark: { bounds: () => bounds, settled: () => null },
    },
    { metrics: registerMetrics(createMetrics('api')), log: { info() {}, warn() {} } },
  );
  expect(report.read()?.problem).toContain(
    'commits wait for pg-3, which TENANTSCOPE_CELL_EU_1_STANDBY_NAMES does not name',
  );
});
