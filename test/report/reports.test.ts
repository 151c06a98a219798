import { reportTemplates, requirementCatalogue } from '@tenantscope/compliance';
import { getReport, type Report } from '@tenantscope/contract';
import { digestJson, type Json } from '@tenantscope/proof';
import { renderMarkdown, renderReportBody, statusLabels } from '@tenantscope/report';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { eventfulRecords, everyPage, render, toMs } from './tenants.ts';

const markup = '<img src=x onerror=alert(1)>"\'|](javascript:1) `*_# {x}\n## heading';

let facts: FactDatabase;
const empty = newTenantId();
const eventfulTenant = newTenantId();
const attacked = newTenantId();

beforeAll(async () => {
  facts = await openFactDatabase();
  await facts.ingest(
    eventfulTenant,
    toMs,
    eventfulRecords((kind) => `A test ${kind}`),
  );
  await facts.ingest(
    attacked,
    toMs,
    eventfulRecords((kind) => `${markup} ${kind}`),
  );
});
afterAll(() => facts?.[Symbol.asyncDispose]());

describe.each(everyPage)('the report %s in %s', (_, lang, template) => {
  test.each([
    ['a tenant without data', () => empty],
    ['a tenant with data', () => eventfulTenant],
    ['a tenant with hostile names', () => attacked],
  ])('the report is complete for %s', async (_, tenant) => {
    const report = await render(facts, tenant(), template, lang);
    getReport.record.strict().parse(report);
    expect(report.sections.map(({ key, title }) => ({ key, title }))).toEqual(
      template.sections.map(({ key, label, labelPl }) => ({ key, title: lang === 'pl' ? labelPl : label })),
    );
    for (const section of report.sections)
      if (section.kind === 'table')
        for (const row of section.content.rows) expect(row, section.key).toHaveLength(section.content.columns.length);
    const { integrity, ...rest } = report;
    expect(integrity.sha256).toBe(await digestJson(rest as unknown as Json));
    expect(report.markdown).toBe(renderMarkdown(report));
    const html = renderReportBody(report);
    for (const { title } of report.sections) expect(html).toContain(`>${title.replaceAll('&', '&amp;')}</h2>`);
    // Quotes inside values are escaped, so that text between two quotes is a value.
    expect(html.replaceAll(/"[^"]*"/g, '')).not.toMatch(
      /<(script|style|img|a|link)\b|<[^>]*\s(style|on\w+|href|src)=/i,
    );
  });

  test('equal pages have the same id at any creation time, and different pages have different ids', async () => {
    const first = await render(facts, eventfulTenant, template, lang);
    const later = await render(facts, eventfulTenant, template, lang, { generatedAtMs: toMs + 1_000 });
    expect(later.reportId).toBe(first.reportId);
    expect(later.integrity).not.toEqual(first.integrity);
    const renamed = await render(facts, eventfulTenant, template, lang, { tenantName: 'Contoso Ltd' });
    expect(renamed.reportId).not.toBe(first.reportId);
  });
});

/** Every text of a report that contains a word. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return /\p{L}{2}/u.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    ['key', 'kind', 'unit', 'status'].includes(name) ? [] : textsOf(one),
  );
}

const codes = new Set(Object.keys(statusLabels));
/** The same in both languages: names of laws and things, and article citations. */
const sameInBoth =
  /^(Status|Standard|Alert|Agent|System|AI|E-mail|Microsoft Teams|ISO\/IEC [\d:]+|NIST Cybersecurity Framework 2\.0|DORA|KSC|SOC 2.*|A\.\d.*)$|^(Art|art|ustawa|rozdz|AI Act art)/;

test.each(reportTemplates.map((template) => [template.id, template] as const))(
  '%s contains no English text on a Polish page',
  async (_, template) => {
    const [english, polish] = await Promise.all([
      render(facts, empty, template, 'en'),
      render(facts, empty, template, 'pl'),
    ]);
    const input = ({ title, sections, limitations }: Report) => textsOf({ title, sections, limitations });
    const inEnglish = new Set(input(english));
    const texts = input(polish);
    const left = texts.filter(
      (names) =>
        inEnglish.has(names) && !codes.has(names) && !sameInBoth.test(names) && !/^\d{4}-\d\d-\d\d/.test(names),
    );
    expect(left).toEqual([]);
    const isEnglish = (text: string) => requirementCatalogue.some((one) => text.includes(one.whatIsMeasured));
    expect(texts.filter(isEnglish)).toEqual([]);
  },
);

const named = (id: string) => {
  const template = reportTemplates.find((one) => one.id === id);
  if (!template) throw new Error(`missing template ${id}`);
  return template;
};

test('the timeline of a tenant without an incident is rendered with the reason', async () => {
  const report = await render(facts, empty, named('incident-timeline'), 'en');
  expect(report.limitations[0]).toContain('no incident was given');
});

test('the timeline shows the newest severe finding or the named one', async () => {
  const newest = await render(facts, eventfulTenant, named('incident-timeline'), 'en');
  expect(newest.markdown).toContain('Id: **a1**');
  const other = await render(facts, eventfulTenant, named('incident-timeline'), 'en', { incidentId: 'e2' });
  expect(other.markdown).toContain('Id: **e2**');
  await expect(
    render(facts, eventfulTenant, named('incident-timeline'), 'en', { incidentId: 'nobody' }),
  ).rejects.toThrow('nobody');
});

test('actions on a user are shown under every name that the incident has for that user', async () => {
  const tenant = newTenantId();
  await facts.ingest(tenant, toMs, [
    input.user('ben', { userPrincipalName: 'ben@contoso.example' }),
    events.alert('a9', toMs - input.dayMs, null, [
      {
        '@odata.type': '#microsoft.graph.security.userEvidence',
        userAccount: { userPrincipalName: 'Ben@contoso.example' },
      },
    ]),
    events.action('x9', 'resetPassword', { type: 'user', id: 'ben' }, toMs - input.hourMs, {
      actionName: 'A new one',
    }),
    events.action('x8', 'resetPassword', { type: 'user', id: 'eve' }, toMs - input.hourMs, { actionName: 'Another' }),
  ]);
  const { markdown } = await render(facts, tenant, named('incident-timeline'), 'en');
  expect(markdown).toContain('A new one');
  expect(markdown).not.toContain('Another');
});

/** Reviewed by a person. A change of the page needs a new review and a higher template version. */
test('the incident report equals the reviewed text', async () => {
  const { markdown } = await render(facts, eventfulTenant, named('incident-timeline'), 'en');
  expect(markdown).toMatchInlineSnapshot(`
    "# Incident timeline (24 h / 72 h / one month)

    **Organisation:** Contoso  
    **Period:** 13 Jun 2026, 12:00 UTC – 15 Jun 2026, 12:00 UTC

    ## Detection moment

    - Incident: **Something is wrong**
    - Kind: **Alert**
    - Severity: **High**
    - State: **new**
    - First activity: **13 Jun 2026, 12:00 UTC**
    - Clocks start: **13 Jun 2026, 12:00 UTC**
    - Because: **the vendor created the alert**
    - From first activity to the start of the clocks: **0 h**
    - Id: **a1**

    ## Timeline

    | When | Event | Who |
    | --- | --- | --- |
    | 13 Jun 2026, 12:00 UTC | The vendor raised the alert | – |
    | 13 Jun 2026, 13:00 UTC | Notification sent (E-mail) | recipients: 1 |
    | 14 Jun 2026, 12:00 UTC | A test action: executed | chief |
    | 15 Jun 2026, 12:00 UTC | First received by this service | – |

    ## Affected users, files, apps

    | Name | Kind | Role | Verdict |
    | --- | --- | --- | --- |
    | ada\\@contoso.example | User | – | – |
    | A test evil file | File | – | – |

    ## Actions taken

    | Action | Resource | By | Staged | Stage |
    | --- | --- | --- | --- | --- |
    | A test action | – | – | 14 Jun 2026, 12:00 UTC | Confirmed by a probe |

    ## Clocks

    | Law | Step | Basis | Due | State |
    | --- | --- | --- | --- | --- |
    | NIS2 Directive | Early warning, 24 hours | Art. 23(4)(a) | 14 Jun 2026, 12:00 UTC | ○ Deadline passed |
    | NIS2 Directive | Incident notification, 72 hours | Art. 23(4)(b) | 16 Jun 2026, 12:00 UTC | ▲ Running |
    | NIS2 Directive | Final report, one month after the notification | Art. 23(4)(d) | 16 Jul 2026, 12:00 UTC | ▲ Running |
    | Polish National Cybersecurity System Act (KSC) | Early warning, 24 hours | Art. 11–12b | 14 Jun 2026, 12:00 UTC | ○ Deadline passed |
    | Polish National Cybersecurity System Act (KSC) | Incident notification, 72 hours | Art. 11–12b | 16 Jun 2026, 12:00 UTC | ▲ Running |
    | Polish National Cybersecurity System Act (KSC) | Final report, one month after the notification | Art. 11–12b | 16 Jul 2026, 12:00 UTC | ▲ Running |
    | DORA | Initial notification, at most 24 hours | Art. 19(4)(a) | 14 Jun 2026, 12:00 UTC | ○ Deadline passed |
    | DORA | Intermediate report, 72 hours after it | Art. 19(4)(b) | 17 Jun 2026, 12:00 UTC | ▲ Running |
    | DORA | Final report, one month after that | Art. 19(4)(c) | 17 Jul 2026, 12:00 UTC | ▲ Running |
    | GDPR | Notification of the authority, 72 hours | Art. 33(1) | 16 Jun 2026, 12:00 UTC | ▲ Running |

    ## What this report cannot show

    - Deadlines are counted from the earliest of: creation by the vendor, first notification sent, first step of a person, arrival of the record. Where the organisation was aware earlier, record that with "tenantscope incident aware". Whether the incident must be notified is for the organisation to determine.
    - Whether a notification was submitted to an authority is not recorded by this service. A later step is counted from the deadline of the earlier one. Months are counted in the time zone of the organisation.
    - Weekends and public holidays extend no deadline here. Some laws allow the next working day: under DORA noon of that day, except for certain entities (Delegated Regulation (EU) 2025/301, Art. 5(4)–(5)). DORA also requires the initial notification within four hours of the classification as major, which this service does not record.
    - Actions are those on the incident and on affected entities, from its first activity on.
    - This is evidence from the connected systems. It is not legal advice and not a certificate.
    "
  `);
});
