import { reportTemplates } from '@tenantscope/compliance';
import { getReport, type Report } from '@tenantscope/contract';
import { digestOf, type Json } from '@tenantscope/proof';
import { markdownOf, reportBody, standings } from '@tenantscope/report';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as happened from '../compliance/happened.ts';
import * as said from '../compliance/said.ts';
import { strangeTenant, type Told, toldDatabase } from '../compliance/told.ts';
import { eventful, everyPage, render, toMs } from './tenants.ts';

const wicked = '<img src=x onerror=alert(1)>"\'|](javascript:1) `*_# {x}\n## heading';

let told: Told;
const empty = strangeTenant();
const known = strangeTenant();
const attacked = strangeTenant();

beforeAll(async () => {
  told = await toldDatabase();
  await told.tell(
    known,
    toMs,
    eventful((kind) => `A told ${kind}`),
  );
  await told.tell(
    attacked,
    toMs,
    eventful((kind) => `${wicked} ${kind}`),
  );
}, 90_000);
afterAll(() => told?.[Symbol.asyncDispose]());

describe.each(everyPage)('%s in %s', (_, lang, template) => {
  test.each([
    ['a tenant of which nothing is known', () => empty],
    ['an eventful one', () => known],
    ['one whose names are meant to do harm', () => attacked],
  ])('is a whole report for %s', async (_, tenant) => {
    const report = await render(told, tenant(), template, lang);
    getReport.record.strict().parse(report);
    expect(report.sections.map(({ key, title }) => ({ key, title }))).toEqual(
      template.sections.map(({ key, label, labelPl }) => ({ key, title: lang === 'pl' ? labelPl : label })),
    );
    for (const section of report.sections)
      if (section.kind === 'table')
        for (const row of section.content.rows) expect(row, section.key).toHaveLength(section.content.columns.length);
    const { integrity, ...rest } = report;
    expect(integrity.sha256).toBe(await digestOf(rest as unknown as Json));
    expect(report.markdown).toBe(markdownOf(report));
    const html = reportBody(report);
    for (const { title } of report.sections) expect(html).toContain(`>${title.replaceAll('&', '&amp;')}</h2>`);
    // Quotes inside of values are escaped, so that what is between two of them is a value.
    expect(html.replaceAll(/"[^"]*"/g, '')).not.toMatch(
      /<(script|style|img|a|link)\b|<[^>]*\s(style|on\w+|href|src)=/i,
    );
  });

  test('has the same id for the same page, whenever it is made, and another one for another page', async () => {
    const first = await render(told, known, template, lang);
    const later = await render(told, known, template, lang, { generatedAtMs: toMs + 1_000 });
    expect(later.reportId).toBe(first.reportId);
    expect(later.integrity).not.toEqual(first.integrity);
    const renamed = await render(told, known, template, lang, { tenantName: 'Contoso Ltd' });
    expect(renamed.reportId).not.toBe(first.reportId);
  });
});

/** Every text of a report that holds a word. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return /\p{L}{2}/u.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    ['key', 'kind', 'unit', 'status'].includes(name) ? [] : textsOf(one),
  );
}

const codes = new Set(Object.keys(standings));
/** The same in both languages: names of laws and things, and how articles are cited. */
const sameInBoth =
  /^(Status|Standard|Alert|Agent|System|AI|E-mail|Microsoft Teams|ISO\/IEC [\d:]+|NIST Cybersecurity Framework 2\.0|DORA|KSC|SOC 2.*|A\.\d.*)$|^(Art|art|ustawa|rozdz|AI Act art)/;

test.each(reportTemplates.map((template) => [template.id, template] as const))(
  '%s leaves nothing in English on a Polish page',
  async (_, template) => {
    const [english, polish] = await Promise.all([
      render(told, empty, template, 'en'),
      render(told, empty, template, 'pl'),
    ]);
    const said = ({ title, sections, limitations }: Report) => textsOf({ title, sections, limitations });
    const inEnglish = new Set(said(english));
    const left = said(polish).filter(
      (words) =>
        inEnglish.has(words) && !codes.has(words) && !sameInBoth.test(words) && !/^\d{4}-\d\d-\d\d/.test(words),
    );
    expect(left).toEqual([]);
  },
);

const named = (id: string) => {
  const template = reportTemplates.find((one) => one.id === id);
  if (!template) throw new Error(`there is no ${id}`);
  return template;
};

test('the timeline of a tenant without an incident is rendered, and says why it is empty', async () => {
  const report = await render(told, empty, named('incident-timeline'), 'en');
  expect(report.limitations[0]).toContain('no incident was named');
});

test('the timeline is of the newest grave finding, or of the one that is named', async () => {
  const newest = await render(told, known, named('incident-timeline'), 'en');
  expect(newest.markdown).toContain('Id: **a1**');
  const other = await render(told, known, named('incident-timeline'), 'en', { incidentId: 'e2' });
  expect(other.markdown).toContain('Id: **e2**');
  await expect(render(told, known, named('incident-timeline'), 'en', { incidentId: 'nobody' })).rejects.toThrow(
    'nobody',
  );
});

test('what was done about somebody is told, by whichever name the incident has of them', async () => {
  const tenant = strangeTenant();
  await told.tell(tenant, toMs, [
    said.user('ben', { userPrincipalName: 'ben@contoso.example' }),
    happened.alert('a9', toMs - said.dayMs, null, [
      {
        '@odata.type': '#microsoft.graph.security.userEvidence',
        userAccount: { userPrincipalName: 'Ben@contoso.example' },
      },
    ]),
    happened.action('x9', 'resetPassword', { type: 'user', id: 'ben' }, toMs - said.hourMs, {
      actionName: 'A new one',
    }),
    happened.action('x8', 'resetPassword', { type: 'user', id: 'eve' }, toMs - said.hourMs, { actionName: 'Another' }),
  ]);
  const { markdown } = await render(told, tenant, named('incident-timeline'), 'en');
  expect(markdown).toContain('A new one');
  expect(markdown).not.toContain('Another');
});

/** Reviewed by reading; whoever changes what the page says reads it again, and raises the template's version. */
test('an incident, as a regulator would read it', async () => {
  const { markdown } = await render(told, known, named('incident-timeline'), 'en');
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
    - Detected: **13 Jun 2026, 12:00 UTC**
    - From first activity to detection: **0 h**
    - Id: **a1**

    ## Timeline

    | When | What happened | Who |
    | --- | --- | --- |
    | 13 Jun 2026, 12:00 UTC | The vendor raised the alert | – |
    | 13 Jun 2026, 13:00 UTC | Notification sent (E-mail) | recipients: 1 |
    | 14 Jun 2026, 12:00 UTC | A told action: executed | – |

    ## Affected users, files, apps

    | Name | Kind | Part | Verdict |
    | --- | --- | --- | --- |
    | ada@contoso.example | User | – | – |
    | A told evil file | File | – | – |

    ## Actions taken

    | Action | On | By | Staged | Stage |
    | --- | --- | --- | --- | --- |
    | A told action | – | – | 14 Jun 2026, 12:00 UTC | Confirmed by a probe |

    ## Clocks

    | Law | Step | Basis | Due | Standing |
    | --- | --- | --- | --- | --- |
    | NIS2 Directive | Early warning, 24 hours | Art. 23(4)(a) | 14 Jun 2026, 12:00 UTC | ○ Deadline passed |
    | NIS2 Directive | Incident notification, 72 hours | Art. 23(4)(b) | 16 Jun 2026, 12:00 UTC | ▲ Running |
    | NIS2 Directive | Final report, one month after the notification | Art. 23(4)(d) | 16 Jul 2026, 12:00 UTC | ▲ Running |
    | Polish National Cybersecurity System Act (KSC) | Early warning, 24 hours | arts. 11-12b | 14 Jun 2026, 12:00 UTC | ○ Deadline passed |
    | Polish National Cybersecurity System Act (KSC) | Incident notification, 72 hours | arts. 11-12b | 16 Jun 2026, 12:00 UTC | ▲ Running |
    | Polish National Cybersecurity System Act (KSC) | Final report, one month after the notification | arts. 11-12b | 16 Jul 2026, 12:00 UTC | ▲ Running |
    | DORA | Initial notification, at most 24 hours | Art. 19(4)(a) | 14 Jun 2026, 12:00 UTC | ○ Deadline passed |
    | DORA | Intermediate report, 72 hours after it | Art. 19(4)(b) | 17 Jun 2026, 12:00 UTC | ▲ Running |
    | DORA | Final report, one month after that | Art. 19(4)(c) | 17 Jul 2026, 12:00 UTC | ▲ Running |
    | GDPR | Notification of the authority, 72 hours | Art. 33(1) | 16 Jun 2026, 12:00 UTC | ▲ Running |

    ## What this report cannot show

    - Clocks are counted from the moment of detection shown here. When the organisation became aware in the sense of the law, and whether the incident must be notified, people decide.
    - Whether a notification was submitted to an authority is not recorded by this service. A later step is counted from the last moment at which the earlier one may be done.
    - Actions are those on the incident and on whom it touched, from its first activity on.
    - This is evidence from the connected systems. It is not legal advice and no certificate.
    "
  `);
});
