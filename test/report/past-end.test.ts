import { randomUUID } from 'node:crypto';
import { readStatusInSnapshot, reportTemplates } from '@tenantscope/compliance';
import { type ComplianceStatus, getReport, type Report, type ReportTable } from '@tenantscope/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { openTestPool } from '../services/pool.ts';
import { eventfulRecords, everyPage, render, toMs } from './tenants.ts';

const { dayMs } = input;
const connectedAtMs = toMs - 60 * dayMs;
const snapshotMs = toMs - 40 * dayMs;

let facts: FactDatabase;
/** Attested and recorded at `toMs`, with a snapshot 40 days earlier, when nothing was attested. */
const withSnapshot = newTenantId();
const withoutSnapshot = newTenantId();
/** Like `withSnapshot`, with a snapshot of the present catalogue. */
const comparable = newTenantId();

const duties = ['gov.attest.risk_assessment', 'ai.attest.literacy', 'gov.attest.management_approval'];

beforeAll(async () => {
  facts = await openFactDatabase();
  await insertSnapshot(withSnapshot, snapshotMs, () => '1');
  await insertSnapshot(comparable, snapshotMs, ({ catalogueVersion }) => catalogueVersion);
  const records = eventfulRecords((kind) => `A test ${kind}`);
  for (const tenant of [withSnapshot, withoutSnapshot, comparable])
    await facts.ingest(tenant, toMs, [
      // A selection since the snapshot is not comparable.
      ...records.filter(
        (one) => !(tenant === comparable && 'type' in one && one.type === 'compliance.frameworkSelection'),
      ),
      // Dated 90 days back, but recorded at `toMs` only.
      ...duties.map((key) => input.attestation(key, { attestedAt: input.at(toMs - 90 * dayMs) })),
    ]);
});
afterAll(() => facts?.[Symbol.asyncDispose]());

async function insertSnapshot(
  tenantId: string,
  takenAtMs: number,
  chooseVersion: (status: ComplianceStatus) => string,
): Promise<void> {
  const status = await facts.read(tenantId, (client) =>
    readStatusInSnapshot(client, { tenantId, connectedAtMs, nowMs: takenAtMs }),
  );
  const pool = openTestPool(facts.database.superuser, { max: 1 });
  await pool.query(
    `insert into models.compliance_snapshot (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
     values ($1, $2, $3, 'manual', false, 'test', $6, null, $4, $5)`,
    [tenantId, randomUUID(), input.at(takenAtMs), 'a'.repeat(64), JSON.stringify({ status }), chooseVersion(status)],
  );
  await pool.end();
}

const templateNamed = (id: string) => {
  const found = reportTemplates.find((one) => one.id === id);
  if (!found) throw new Error(`missing template ${id}`);
  return found;
};

const renderUntil = (tenantId: string, id: string, endMs: number, lang: 'en' | 'pl' = 'en'): Promise<Report> =>
  render(facts, tenantId, templateNamed(id), lang, { toMs: endMs, storedThroughMs: toMs, connectedAtMs });

function tableOf(report: Report, key: string): ReportTable {
  const section = report.sections.find((one) => one.key === key);
  if (section?.kind !== 'table') throw new Error(`${key} is not a table`);
  return section.content;
}

/** Readiness for NIS2 in the executive summary; null where it is unknown. */
async function readReadiness(tenantId: string, endMs: number): Promise<number | null> {
  const report = await renderUntil(tenantId, 'executive-summary', endMs);
  const section = report.sections.find(({ key }) => key === 'readiness');
  if (section?.kind === 'text') return null;
  return tableOf(report, 'readiness').rows[0]?.[1] as number | null;
}

test('an attestation recorded after the end of the period does not count', async () => {
  const now = await readReadiness(withSnapshot, toMs);
  expect(now).toBeGreaterThan(0);
  expect(await readReadiness(withSnapshot, toMs - dayMs)).toBe(0);
  expect(await readReadiness(withoutSnapshot, toMs - dayMs)).toBeNull();
});

test('an earlier end never raises readiness', async () => {
  const now = (await readReadiness(withSnapshot, toMs)) ?? 0;
  for (const days of [0.001, 1, 20, 39, 41, 59]) {
    const earlier = await readReadiness(withSnapshot, toMs - days * dayMs);
    expect({ days, raised: (earlier ?? 0) > now }).toEqual({ days, raised: false });
  }
});

test('a report for a past end names the snapshot that its statuses come from', async () => {
  const report = await renderUntil(withSnapshot, 'framework-readiness', toMs - dayMs);
  // The 90 days of the period begin before the connection, which is said first.
  expect(report.limitations[0]).toMatch(/begins before this tenant was connected on 16 Apr 2026/);
  expect(report.limitations[1]).toMatch(/statuses are those of the snapshot of 6 May 2026/);
  expect(tableOf(report, 'attestations').rows.map(([, verdict]) => verdict)).not.toContain('compliant');
  const polish = await renderUntil(withSnapshot, 'framework-readiness', toMs - dayMs, 'pl');
  expect(polish.limitations[0]).toMatch(/przed podłączeniem organizacji \(16 kwi 2026/);
});

test('a snapshot taken after the end is not used', async () => {
  const report = await renderUntil(withSnapshot, 'ksc-audit-preparation', snapshotMs - 1);
  const section = report.sections.find(({ key }) => key === 'article_8');
  expect(section).toMatchObject({ kind: 'text', content: expect.stringMatching(/^Unknown/) });
});

test('changes since a snapshot of another catalogue are not shown, and a limitation names the frameworks', async () => {
  const readChanges = async (tenantId: string, lang: 'en' | 'pl' = 'en') => {
    const report = await renderUntil(tenantId, 'executive-summary', toMs, lang);
    return {
      deltas: tableOf(report, 'readiness').rows.filter((row) => typeof row[2] === 'number').length,
      changes: tableOf(report, 'changes').rows.length,
      limitations: report.limitations.filter((text) => /not comparable|nie są porównywalne/.test(text)),
    };
  };
  const shown = await readChanges(comparable);
  expect(shown.limitations).toEqual([]);
  expect(shown.deltas).toBeGreaterThan(0);
  expect(shown.changes).toBeGreaterThan(0);
  const limitation = expect.stringMatching(/NIS ?2.*(not comparable|nie są porównywalne)/);
  expect(await readChanges(withSnapshot)).toEqual({ deltas: 0, changes: 0, limitations: [limitation] });
  expect(await readChanges(withSnapshot, 'pl')).toEqual({ deltas: 0, changes: 0, limitations: [limitation] });
});

describe.each(everyPage)('the report %s in %s without a snapshot', (_, lang, template) => {
  test('the report is complete and shows no status', async () => {
    const report = await render(facts, withoutSnapshot, template, lang, {
      toMs: toMs - dayMs,
      storedThroughMs: toMs,
      connectedAtMs,
    });
    getReport.record.strict().parse(report);
    expect(report.sections.map(({ key }) => key)).toEqual(template.sections.map(({ key }) => key));
    expect(listStatusValues(report)).toEqual([]);
    const isTimeline = template.id === 'incident-timeline';
    if (template.id === 'framework-readiness') expect(report.title).toMatch(/unknown$|nieznana$/);
    if (!isTimeline) expect(report.limitations.join()).toMatch(/are unknown|nie są znane/);
  });
});

/** Statuses that claim something about requirements, in KPIs and status columns. */
function listStatusValues(report: Report): unknown[] {
  const claims = new Set(['met', 'at_risk', 'not_met', 'not_evaluated', 'compliant', 'unattested', 'ready', 'blocked']);
  return report.sections.flatMap((section) => {
    if (section.kind === 'kpis')
      return section.content.map(({ status }) => status).filter((one) => claims.has(one ?? ''));
    if (section.kind !== 'table') return [];
    const columns = section.content.columns.flatMap(({ kind }, index) => (kind === 'status' ? [index] : []));
    return section.content.rows
      .flatMap((row) => columns.map((index) => row[index]))
      .filter((one) => claims.has(String(one)));
  });
}
