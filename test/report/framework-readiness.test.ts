import { randomUUID } from 'node:crypto';
import {
  formatReference,
  frameworkCatalogue,
  readStatusInSnapshot,
  reportTemplates,
  requirementCatalogue,
} from '@tenantscope/compliance';
import { type Report, type ReportKpi, type ReportTable, reportLanguages } from '@tenantscope/contract';
import { formatCell } from '@tenantscope/report';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rollUpArticles } from '../compliance/article-roll-up.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { openTestPool } from '../services/pool.ts';
import { eventfulRecords, render, toMs } from './tenants.ts';

const tenant = newTenantId();
const readiness = reportTemplates.find(({ id }) => id === 'framework-readiness');
if (readiness === undefined) throw new Error('missing template framework-readiness');
const template = readiness;

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
  const attested = [
    ...['gov.attest.risk_assessment', 'gov.attest.legal_register', 'gov.attest.security_official'],
    ...['hr.attest.awareness', 'bcm.attest.backup_tested', 'ai.attest.prohibited', 'ai.attest.fria', 'prv.attest.dpia'],
    ...['inc.attest.reporting_procedure', 'prv.attest.ropa', 'vul.attest.management', 'gov.attest.internal_audit'],
  ];
  await facts.ingest(tenant, toMs, [
    ...eventfulRecords((kind) => `A test ${kind}`),
    ...attested.map((key) => input.attestation(key, { attestedAt: input.at(toMs - 10 * input.dayMs) })),
  ]);
});
afterAll(() => facts?.[Symbol.asyncDispose]());

const readStatus = () =>
  facts.read(tenant, (client) =>
    readStatusInSnapshot(client, { tenantId: tenant, connectedAtMs: toMs - 400 * input.dayMs, nowMs: toMs }),
  );

const findContent = (report: Report, key: string) => report.sections.find((one) => one.key === key)?.content;

/** The cells of one column, by the first cell of their rows. */
function readColumn(report: Report, key: string, column: string): unknown[][] {
  const { columns, rows } = findContent(report, key) as ReportTable;
  const index = columns.findIndex((one) => one.key === column);
  return rows.map((row) => [row[0], row[index]]);
}

const every = frameworkCatalogue.flatMap((framework) =>
  reportLanguages.map((lang) => [framework.key, lang, framework] as const),
);

describe.each(every)('the readiness report of %s in %s', (key, lang, { name, namePl }) => {
  test('its title names framework, percent, counts and coverage, and its headline all figures', async () => {
    const report = await render(facts, tenant, template, lang, { framework: key });
    const { requirements } = await readStatus();
    const own = requirements.filter((one) => one.articles.some(({ framework }) => framework === key));
    const applicable = own.filter(({ evaluation }) => evaluation !== 'not_applicable');
    const count = (status: string) => applicable.filter((one) => one.status === status).length;
    const share = (part: number) => Math.floor((100 * part) / applicable.length);
    const percent = share(count('met'));
    const coverage = share(applicable.length - count('not_evaluated'));
    for (const part of [
      lang === 'pl' ? namePl : name,
      formatCell(percent, 'percent', lang),
      `${count('met')} ${lang === 'pl' ? 'z\u00a0' : 'of '}${applicable.length}`,
      formatCell(coverage, 'percent', lang),
    ])
      expect(report.title).toContain(part);
    expect(report.markdown.split('\n')[0]).toContain(lang === 'pl' ? 'gotowość' : 'readiness');

    const verdicts = rollUpArticles(requirements)[key] ?? [];
    const articles = (is: string) => verdicts.filter((one) => `${one.status} ${one.coverage}` === is).length;
    const excepted = verdicts.filter((one) => one.status === 'met' && one.coverage === 'main' && one.isExcepted);
    const headline = findContent(report, 'headline') as readonly ReportKpi[];
    expect(headline.map(({ value }) => value)).toEqual([
      lang === 'pl' ? namePl : name,
      percent,
      coverage,
      applicable.length,
      count('met'),
      applicable.filter(({ status, reason }) => status === 'met' && reason === 'excepted').length,
      applicable.filter(({ status, reason }) => status === 'met' && reason === 'empty_population').length,
      count('at_risk'),
      count('not_met'),
      count('not_evaluated'),
      verdicts.length,
      articles('met main') - excepted.length,
      excepted.length,
      articles('met indicator'),
      articles('met null'),
    ]);
  });

  test('it never reports an article as met on indicators alone, and states what is not measured', async () => {
    const report = await render(facts, tenant, template, lang, { framework: key });
    const status = await readStatus();
    const controls = status.frameworks.find((one) => one.key === key)?.controls ?? [];
    const verdicts = rollUpArticles(status.requirements)[key] ?? [];
    expect(readColumn(report, 'articles', 'status')).toEqual(
      controls.map(({ ref }, index) => {
        const verdict = verdicts[index];
        const cited = formatReference(ref, lang);
        if (!verdict?.isApplicable) return [cited, 'not_applicable'];
        const shown: Record<string, string> = { 'met indicator': 'indicators_met', 'met null': 'nothing_to_measure' };
        return [cited, shown[`${verdict.status} ${verdict.coverage}`] ?? verdict.status];
      }),
    );
    expect(readColumn(report, 'coverage', 'note')).toEqual(
      controls.map(({ ref, coverageNote, coverageNotePl }) => [
        formatReference(ref, lang),
        lang === 'pl' ? coverageNotePl : coverageNote,
      ]),
    );
  });
});

test.each(every)('the readiness report of %s in %s describes every requirement that applies', async (key, lang) => {
  const report = await render(facts, tenant, template, lang, { framework: key });
  const { requirements } = await readStatus();
  const applicable = requirements.filter(
    ({ evaluation, articles }) =>
      evaluation !== 'not_applicable' && articles.some(({ framework }) => framework === key),
  );
  const described = requirementCatalogue.filter((one) => applicable.some((other) => other.key === one.key));
  expect(readColumn(report, 'definitions', 'definition').toSorted()).toEqual(
    described
      .map((one) => (lang === 'pl' ? [one.titlePl, one.whatIsMeasuredPl] : [one.title, one.whatIsMeasured]))
      .toSorted(),
  );
  expect((findContent(report, 'definitions') as ReportTable).truncated).toBe(false);
  const text = JSON.stringify(report.sections);
  const inOtherLanguage = requirementCatalogue.filter(({ whatIsMeasured, whatIsMeasuredPl }) =>
    text.includes(JSON.stringify(lang === 'pl' ? whatIsMeasured : whatIsMeasuredPl).slice(1, -1)),
  );
  expect(inOtherLanguage).toEqual([]);
});

test('both verdicts occur in the tenant of these tests, and have different labels', async () => {
  const { requirements } = await readStatus();
  const verdicts = Object.values(rollUpArticles(requirements)).flat();
  const seen = new Set(verdicts.map(({ status, coverage }) => `${status} ${coverage}`));
  expect([...seen]).toEqual(expect.arrayContaining(['met main', 'met indicator']));
  const polish = await render(facts, tenant, template, 'pl', { framework: 'nis2' });
  expect(polish.markdown).toContain('◇ Wskaźniki w normie');
  const english = await render(facts, tenant, template, 'en', { framework: 'nis2' });
  expect(english.markdown).toContain('◇ Indicators in order');
});

test('Polish reports call no framework "ramy", except where a law itself does', async () => {
  for (const { key } of frameworkCatalogue) {
    const { markdown } = await render(facts, tenant, template, 'pl', { framework: key });
    const text = markdown.replaceAll(/Ramy zarządzania ryzykiem ICT|dokument ram zarządzania ryzykiem/g, '');
    expect(text, key).not.toMatch(/(?<!\p{L})ram(y|ach|om|ami)?(?!\p{L})/iu);
    expect(text, key).not.toMatch(/agenci/i);
  }
});

describe('exceptions', () => {
  const excepting = newTenantId();
  beforeAll(async () => {
    const accounts = Array.from({ length: 20 }, (_, index) => input.user(`u${index}`, { mfaRegistered: index > 0 }));
    const sources = requirementCatalogue.find(({ key }) => key === 'iam.mfa.members')?.sources ?? [];
    await facts.ingest(excepting, toMs, [
      ...accounts,
      ...sources.map((source) => input.sourceStatus(source, toMs)),
      input.exception('shared', 'iam.mfa.members', toMs, { subjectIds: ['u0'], approvedBy: 'Mara', reason: 'a kiosk' }),
    ]);
  });

  test.each(reportLanguages)('are listed with approver, expiry and both figures in %s', async (lang) => {
    const report = await render(facts, excepting, template, lang, { framework: 'nis2' });
    const { columns, rows } = findContent(report, 'exceptions') as ReportTable;
    const [row = []] = rows;
    expect(rows).toHaveLength(1);
    expect(Object.fromEntries(columns.map(({ key }, index) => [key, row[index]]))).toMatchObject({
      ...{ covered: 1, with: 'met', without: 'at_risk', reason: 'a kiosk', by: 'Mara' },
      until: input.at(toMs + 30 * input.dayMs),
      value: expect.stringMatching(
        lang === 'pl' ? /^95.* \(z odstępstwami: 100.*\)$/ : /^95.* \(with exceptions: 100.*\)$/,
      ),
    });
    expect(report.limitations.join(' ')).toContain(lang === 'pl' ? 'Zatwierdzone odstępstwa' : 'Approved exceptions');
  });

  test('are not mentioned in the limitations of a tenant without exceptions', async () => {
    const report = await render(facts, tenant, template, 'en', { framework: 'nis2' });
    expect((findContent(report, 'exceptions') as ReportTable).rows).toEqual([]);
    expect(report.limitations.join(' ')).not.toContain('Approved exceptions');
  });
});

test('a snapshot that was backfilled after its week is no point of the trend, and the limitations count it and name changes of the catalogue', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, toMs - 20 * input.dayMs, [input.user('u')]);
  const superuser = openTestPool(facts.database.superuser, { max: 1 });
  const document = (readinessPercent: number) => ({ status: { frameworks: [{ key: 'nis2', readinessPercent }] } });
  const weeks = [
    [4, '2026-W39', false, 30, '1'],
    [3, '2026-W40', false, 40, '1'],
    [2, '2026-W41', true, 70, '1'],
    [1, '2026-W42', false, 50, '2'],
  ] as const;
  for (const [place, [daysAgo, period, late, percent, version]] of weeks.entries())
    await superuser.query(
      `insert into models.compliance_snapshot
         (tenant_id, id, taken_at, trigger, period, late, taken_by, catalogue_version, previous_sha256, sha256, document)
       values ($1, $2, $3, 'scheduled', $4, $5, 'scheduler', $6, $7, $8, $9)`,
      [
        tenantId,
        randomUUID(),
        input.at(toMs - daysAgo * input.dayMs),
        period,
        late,
        version,
        place === 0 ? null : String(place).repeat(64),
        String(place + 1).repeat(64),
        JSON.stringify(document(percent)),
      ],
    );
  await superuser.end();
  const report = await render(facts, tenantId, template, 'en', { framework: 'nis2' });
  const points = findContent(report, 'trend') as readonly { readonly v: number }[];
  expect(points.map(({ v }) => v)).toEqual([30, 40, 50]);
  expect(report.limitations.some((one) => one.includes('left out of the trend: 1'))).toBe(true);
  expect(report.limitations.some((one) => one.includes('evaluation rules changed between snapshots'))).toBe(true);
  const earlier = await render(facts, tenantId, template, 'en', { framework: 'nis2', toMs: toMs - 2 * input.dayMs });
  expect(findContent(earlier, 'trend')).toHaveLength(2);
  expect(earlier.limitations.some((one) => one.includes('evaluation rules changed between snapshots'))).toBe(false);
});
