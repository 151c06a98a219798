import { reportTemplates } from '@tenantscope/compliance';
import { getReport, listReportTemplates } from '@tenantscope/contract';
import { digestJson } from '@tenantscope/proof';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ControlledInstallation,
  type Reader,
  startControlledInstallation,
} from '../guards/controlled-installation.ts';
import { defaultFramework } from './tenants.ts';

let product: ControlledInstallation;
let tenantId: string;
let reader: Reader;

beforeAll(async () => {
  product = await startControlledInstallation();
  tenantId = await product.createTenant();
  reader = product.reader(tenantId);
});
afterAll(() => product?.[Symbol.asyncDispose]());

const pathOf = (id: string) => `/reports/templates/${id}/render`;
/** Begins before the tenant was connected. */
const period = { from: '2025-12-01T00:00:00.000Z', to: '2026-10-31T12:00:00.000Z' };

test('the list returns every template on one page', async () => {
  const { status, body } = await reader.get('/reports/templates');
  expect(status).toBe(200);
  expect(body.data).toEqual(reportTemplates);
  for (const row of body.data) listReportTemplates.record.strict().parse(row);
  expect(body.pagination).toEqual({ nextCursor: null, hasMore: false, limit: 1000 });
});

test.each(reportTemplates.map((template) => [template.id, template] as const))(
  '%s returns one signed object with its defaults filled in',
  async (id, template) => {
    const framework = defaultFramework(template);
    const { status, body } = await reader.get(pathOf(id), framework ? { framework } : {});
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data']);
    getReport.record.strict().parse(body.data);
    const { integrity, ...rest } = body.data;
    expect(integrity.sha256).toBe(await digestJson(rest));
    expect(Object.keys(body.data.parameters)).toEqual(template.parameters.map(({ name }) => name));
    expect(body.data.parameters.lang).toBe('en');
    const [, days] = /-P(\d+)D/.exec(template.parameters.find(({ name }) => name === 'from')?.default ?? '') ?? [];
    const { from, to } = body.data.period;
    if (days) expect(Date.parse(to) - Date.parse(from)).toBe(Number(days) * 86_400_000);
  },
);

test('a repeated request returns the same report except for its creation time', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => reader.get(pathOf('soc-monthly'), period)));
  expect(one?.body.data.reportId).toBe(other?.body.data.reportId);
  expect(one?.body.data.period).toEqual(period);
  expect(one?.body.data.limitations[0]).toContain('before this tenant was connected on 1 Jan 2026');
  const polish = await reader.get(pathOf('soc-monthly'), { ...period, lang: 'pl' });
  expect(polish.body.data).toMatchObject({ lang: 'pl', title: 'Miesięczny raport SOC' });
  expect(polish.body.data.reportId).not.toBe(one?.body.data.reportId);
});

test('a framework alias is accepted and its key is returned', async () => {
  const { body } = await reader.get(pathOf('framework-readiness'), { framework: 'rodo' });
  expect(body.data.parameters.framework).toBe('gdpr');
});

test.each([
  ['framework-readiness', {}, 'framework', 'is required'],
  ['framework-readiness', { framework: 'sideways' }, 'framework', 'dora'],
  ['executive-summary', { framework: 'nis2' }, 'framework', 'takes from, to, lang'],
  ['executive-summary', { incidentId: 'x' }, 'incidentId', 'takes from, to, lang'],
  ['incident-timeline', { from: '2026-10-01' }, 'from', 'takes incidentId, lang'],
  ['incident-timeline', { to: '2026-10-01' }, 'to', 'takes incidentId, lang'],
  ['executive-summary', { from: '2026-10-02', to: '2026-10-01' }, 'from', 'is later than to'],
  [
    'executive-summary',
    { from: '2025-06-01', to: '2025-07-01' },
    'to',
    'when this tenant was connected; use a time at or after',
  ],
  ['executive-summary', { from: '2100-01-01' }, 'from', 'is later than'],
  ['executive-summary', { from: 'yesterday' }, 'from', 'is not a time'],
  ['executive-summary', { lang: 'de' }, 'lang', 'pl'],
  ['executive-summary', { limit: '5' }, 'limit', 'is not a parameter'],
])('%s rejects %j with the reason or the allowed values', async (id, parameters, name, expectedText) => {
  const { status, code, body, text } = await reader.get(pathOf(id), parameters);
  expect([status, code]).toEqual([400, 'INVALID_PARAMETER']);
  expect(body.error.details[0].parameter).toBe(name);
  expect(text).toContain(expectedText);
});

test.each(['no-such-template', 'executive-summary%00', '..%2Fx', 'EXECUTIVE-SUMMARY'])(
  'the template id %s is not found',
  async (id) => {
    const { status, code } = await reader.get(pathOf(id));
    expect([status, code]).toEqual([404, 'NOT_FOUND']);
  },
);

test('an unknown incident returns 404 with a hint at the list', async () => {
  const { status, code, text } = await reader.get(pathOf('incident-timeline'), { incidentId: "x' or true --" });
  expect([status, code]).toEqual([404, 'NOT_FOUND']);
  expect(text).toContain('list_detections');
});

test('the month until the final report on an incident is counted in the time zone of the tenant', async () => {
  const { superuser } = product;
  const createdAt = '2026-01-27T23:30:00.000Z';
  await superuser.query(
    `insert into models.security_alert (tenant_id, id, version, digest, updated_at, created_at, document, detail)
     values ($1, 'a1', 1, '', $2, $2, $3, $3)`,
    [tenantId, createdAt, JSON.stringify({ createdDateTime: createdAt })],
  );
  const readDue = async (timeZone: string) => {
    await superuser.query('update control.tenant set time_zone = $2 where id = $1', [tenantId, timeZone]);
    const { body } = await reader.get(pathOf('incident-timeline'), { incidentId: 'a1' });
    const { content } = body.data.sections.find(({ key }: { key: string }) => key === 'clocks');
    return content.rows.filter(([law]: string[]) => law === 'NIS2 Directive').map((row: unknown[]) => row[3]);
  };
  const [early, full] = ['2026-01-28T23:30:00.000Z', '2026-01-30T23:30:00.000Z'];
  expect(await readDue('UTC')).toEqual([early, full, '2026-02-28T23:30:00.000Z']);
  // In Warsaw the notification is due on 31 January.
  expect(await readDue('Europe/Warsaw')).toEqual([early, full, '2026-02-27T23:30:00.000Z']);
});

test.each(['/reports/templates', pathOf('executive-summary')])('%s requires the scope evidence:read', async (path) => {
  const { status, code } = await product.reader(tenantId, ['logs:read']).get(path);
  expect([status, code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
});

test('a report over its time limit is aborted', async () => {
  const client = await product.superuser.connect();
  try {
    await client.query('begin; lock table models.notification in access exclusive mode');
    const { status, code } = await reader.get(pathOf('soc-monthly'));
    expect([status, code]).toEqual([504, 'QUERY_TIMEOUT']);
  } finally {
    await client.query('rollback');
    client.release();
  }
  expect((await reader.get(pathOf('soc-monthly'))).status).toBe(200);
});
