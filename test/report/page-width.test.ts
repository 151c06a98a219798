import { readFile } from 'node:fs/promises';
import { renderReportPage } from '@tenantscope/report';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { findChromium } from '../console/e2e/chromium.ts';
import { eventfulRecords, everyPage, render, toMs } from './tenants.ts';

const executablePath = await findChromium();

/** The width of A4 between the margins of the style sheet, in px: 210 mm less 16 mm on each side. */
const pageWidth = Math.floor(((210 - 32) / 25.4) * 96);

// Browsers scale the whole document down to its widest table.
describe.skipIf(executablePath === null)('a report on A4', { tags: ['browser'] }, () => {
  let facts: FactDatabase;
  let browser: Browser;
  let page: Page;
  let stylesheet: string;
  const tenantId = newTenantId();

  beforeAll(async () => {
    facts = await openFactDatabase();
    const attestedBy = 'bernadetta.wojciechowska@finanse.example-organization.example';
    const names = { attestedBy, recordedBy: attestedBy, justification: 'Done for one of two systems.' };
    await facts.ingest(tenantId, toMs, [
      ...eventfulRecords((kind) => `An example of a long ${kind}`),
      input.attestation('ai.attest.fria', {
        ...names,
        verdict: 'partial',
        attestedAt: input.at(toMs - 9 * input.dayMs),
      }),
      input.sourceStatus('users', toMs),
      input.exception('e', 'iam.mfa.members', toMs - input.dayMs, {
        subjectIds: ['ada', 'ben'],
        approvedBy: attestedBy,
        reason: 'Works offline on the research vessel; signs in with a hardware token from 15 January on.',
      }),
    ]);
    stylesheet = await readFile(new URL(import.meta.resolve('@tenantscope/report/report.css')), 'utf8');
    browser = await chromium.launch({ executablePath: executablePath ?? '' });
    page = await browser.newPage({ viewport: { width: pageWidth, height: 900 } });
    await page.emulateMedia({ media: 'print' });
  });
  afterAll(async () => {
    await browser?.close();
    await facts?.[Symbol.asyncDispose]();
  });

  test.each(everyPage)('%s in %s is no wider than A4', async (_, lang, template) => {
    const report = await render(facts, tenantId, template, lang);
    await page.setContent(renderReportPage(report, stylesheet));
    const tooWide = await page.evaluate<string[]>(
      `[...document.querySelectorAll('table')].filter((one) => one.offsetWidth > ${pageWidth}).map((one) => one.caption.textContent + ': ' + one.offsetWidth)`,
    );
    expect(tooWide).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(pageWidth);
  });
});
