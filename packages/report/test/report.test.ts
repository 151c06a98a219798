import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { computeTicks } from '../src/chart.ts';
import { formatCell, type PrintableReport, renderMarkdown, renderReportBody, renderReportPage } from '../src/index.ts';

const stylesheet = readFileSync(new URL('../src/report.css', import.meta.url), 'utf8');

const bare: PrintableReport = {
  reportId: 'a'.repeat(64),
  templateId: 'executive-summary',
  templateVersion: '1',
  title: 'Summary',
  lang: 'en',
  tenant: { id: '4d1c6a52-93c8-4b52-8f37-1a7c2e9b5f01', name: 'Larkspur Instruments' },
  period: { from: '2026-10-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' },
  generatedAt: '2026-11-01T07:00:00.000Z',
  generatedBy: 'auditor (key 1)',
  sections: [],
  limitations: [],
  integrity: { sha256: 'b'.repeat(64) },
};

const wicked = '<script>alert(1)</script>"\' onload=x ](javascript:alert(1)) | # *a* `b` \u202egpj.exe \u0007 {x}';

/** A report in which everything that others wrote is written to do harm. */
const attacked: PrintableReport = {
  ...bare,
  title: wicked,
  tenant: { id: wicked, name: wicked },
  generatedBy: wicked,
  reportId: wicked,
  templateId: wicked,
  lang: `en"><script>`,
  sections: [
    { key: 'a', title: wicked, kind: 'text', content: `${wicked}\n\n${wicked}` },
    { key: 'b', title: wicked, kind: 'list', content: [wicked] },
    {
      key: 'c',
      title: wicked,
      kind: 'kpis',
      content: [{ label: wicked, value: wicked, unit: wicked, status: wicked }],
    },
    {
      key: 'd',
      title: wicked,
      kind: 'table',
      content: {
        columns: [
          { key: wicked, label: wicked, kind: wicked },
          { key: 'e', label: wicked, kind: 'status' },
          { key: 'f', label: wicked, kind: 'date' },
        ],
        rows: [[wicked, wicked, wicked]],
        truncated: true,
      },
    },
    { key: 'g', title: wicked, kind: 'series', content: [{ t: '2026-10-01T00:00:00.000Z', v: 3 }] },
  ],
  limitations: [wicked],
  integrity: { sha256: wicked },
};

test('untrusted text creates no elements and no attributes', () => {
  // Quotes inside of values are escaped, so that what is between two of them is a value.
  const tags = renderReportBody(attacked)
    .replaceAll(/"[^"]*"/g, '')
    .match(/<[^>]*>/g);
  const names = new Set(tags?.map((tag) => /^<\/?(\w+)/.exec(tag)?.[1]));
  expect([...names].filter((name) => /^(script|style|a|img|iframe|link|base)$/.test(name ?? ''))).toEqual([]);
  const attributes = new Set(tags?.flatMap((tag) => [...tag.matchAll(/\s([\w:-]+)=/g)].map(([, name]) => name)));
  expect(attributes).toContain('class');
  expect([...attributes].filter((name) => /^(style|href|src|srcset|on.*)$/.test(name ?? ''))).toEqual([]);
  expect(renderReportBody(attacked)).not.toContain('\u202e');
  expect(renderReportBody(attacked)).not.toContain('\u0007');
});

test('a page contains its styles, forbids scripts and shows its digest only where it is valid', () => {
  const page = renderReportPage(bare, stylesheet);
  expect(page).toContain(`content: "SHA-256 ${'b'.repeat(64)}"`);
  expect(page).toContain("default-src 'none'");
  const hostile = renderReportPage(attacked, `${stylesheet}</style><script>`);
  expect(hostile.match(/<\/style>/g)).toHaveLength(1);
  expect(hostile).toContain('content: "SHA-256 "');
});

test('Markdown of hostile text has no heading, link, tag or row of its own', () => {
  const markdown = renderMarkdown(attacked);
  const plain = renderMarkdown({
    ...attacked,
    ...JSON.parse(JSON.stringify(attacked).replaceAll(JSON.stringify(wicked).slice(1, -1), 'x')),
  });
  expect(markdown.split('\n')).toHaveLength(plain.split('\n').length);
  expect(markdown.replaceAll(/\\[\\`*_{}[\]<>#|~&]/g, '')).not.toMatch(/[<>[\]`]/);
});

test('each section appears in the page and in Markdown with its title', () => {
  const titles = ['Words', 'Things', 'Figures', 'Rows', 'Line'];
  const report: PrintableReport = {
    ...bare,
    sections: attacked.sections.map((section, index) => ({ ...section, title: titles[index] ?? '' })),
  };
  for (const title of titles) {
    expect(renderReportBody(report)).toContain(`>${title}</h2>`);
    expect(renderMarkdown(report)).toContain(`## ${title}\n`);
  }
});

test('Markdown shows addresses without linking them, and makes controls visible', () => {
  const content = [
    'see https://evil.example/login and HTTP://evil.example, www.evil.example, ftp://a.b, ada@evil.example \u202etxt',
  ];
  const markdown = renderMarkdown({ ...bare, sections: [{ key: 'a', title: 'A', kind: 'list', content }] });
  expect(markdown).toContain(
    '- see https\\://evil.example/login and HTTP\\://evil.example, www\\.evil.example, ftp\\://a.b, ada\\@evil.example \ufffdtxt\n',
  );
  for (const control of ['\u202e', '\u0007']) expect(renderMarkdown(attacked)).not.toContain(control);
});

test("empty sections have a text in the report's language", () => {
  const sections: PrintableReport['sections'] = [
    { key: 'a', title: 'A', kind: 'table', content: { columns: [], rows: [], truncated: false } },
    { key: 'b', title: 'B', kind: 'list', content: [] },
    { key: 'c', title: 'C', kind: 'kpis', content: [] },
    { key: 'd', title: 'D', kind: 'series', content: [] },
    { key: 'e', title: 'E', kind: 'series', content: [{ t: '2026-10-01T00:00:00.000Z', v: null }] },
  ];
  const countShown = (lang: string, text: string) =>
    renderReportBody({ ...bare, lang, sections }).split(`>${text}<`).length - 1;
  expect([countShown('en', 'None.'), countShown('en', 'No data in this period.')]).toEqual([3, 2]);
  expect([countShown('pl', 'Brak.'), countShown('pl', 'Brak danych z tego okresu.')]).toEqual([3, 2]);
});

test('a status has shape, text and colour, and a chart has its numbers as a table', () => {
  const body = renderReportBody({
    ...bare,
    sections: [
      {
        key: 'a',
        title: 'A',
        kind: 'table',
        content: { columns: [{ key: 's', label: 'S', kind: 'status' }], rows: [['not_met']], truncated: false },
      },
      { key: 'b', title: 'B', kind: 'series', content: [{ t: '2026-10-01T00:00:00.000Z', v: 41 }] },
    ],
  });
  expect(body).toContain('report-mark-bad"><span class="report-shape" aria-hidden="true">■</span> Not met</span>');
  expect(body).toMatch(/<figure.*<svg.*role="img" aria-label="B".*<table.*41.*<\/figure>/s);
});

test.each([
  [12345.67, 'count', 'en', '12,345.7'],
  [12345.67, 'count', 'pl', '12\u00a0345,7'],
  [66.6, 'percent', 'pl', '66,6\u00a0%'],
  [-3, 'points', 'en', '−3'],
  [3, 'points', 'en', '+3'],
  [0, 'hours', 'pl', '0\u00a0godz.'],
  [1, 'days', 'pl', '1\u00a0dzień'],
  [null, 'count', 'en', '–'],
  [true, 'flag', 'pl', 'tak'],
  ['2026-10-25T01:30:00.000Z', 'instant', 'pl', '25 paź 2026, 01:30 UTC'],
  ['2026-10-25T23:30:00.000Z', 'date', 'en', '25 Oct 2026'],
  ['not a time', 'date', 'en', 'not a time'],
  ['at_risk', 'status', 'pl', 'Zagrożone'],
] as const)('%s as %s in %s is formatted as "%s"', (value, kind, lang, shown) => {
  expect(formatCell(value, kind, lang)).toBe(shown);
});

test.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [12, [0, 5, 10, 15]],
  [100, [0, 50, 100]],
  [1_234, [0, 500, 1_000, 1_500]],
])('an axis for %d has round steps above all values', (greatest, ticks) => {
  expect(computeTicks(greatest)).toEqual(ticks);
});

test('section classes do not collide with styled classes of tables and lists', () => {
  const sections = renderReportBody(attacked).match(/<section class="[^"]*"/g) ?? [];
  const styled = new Set([...stylesheet.matchAll(/\.(report-[a-z-]+)/g)].map(([, name]) => name));
  const used = new Set(
    sections.flatMap((one) => one.split('"')[1]?.split(' ') ?? []).filter((name) => styled.has(name)),
  );
  expect(used).toEqual(new Set(['report-section', 'report-limitations']));
});

test('a path or an address may break after each of its parts, and other texts stay as they are', () => {
  const rows = [
    ['/compliance/requirements/iam.mfa.members/findings', 'see /a/b.c and d', '/a/<b>.c', 'ada&b@contoso.example'],
  ];
  const columns = ['a', 'b', 'c', 'd'].map((key) => ({ key, label: key, kind: 'text' }));
  const content = { columns, rows, truncated: false };
  const html = renderReportBody({ ...bare, sections: [{ key: 'x', title: 'X', kind: 'table', content }] });
  expect(html).toContain('/<wbr>compliance/<wbr>requirements/<wbr>iam.<wbr>mfa.<wbr>members/<wbr>findings');
  expect(html).toContain('<bdi>see /a/b.c and d</bdi>');
  expect(html).toContain('<bdi>/a/&lt;b&gt;.c</bdi>');
  expect(html).toContain('<bdi>ada&amp;b@<wbr>contoso.<wbr>example</bdi>');
});

test('a unit of a citation stays with its number, and a number with its unit of time', () => {
  const columns = ['a', 'b', 'c', 'd'].map((key) => ({ key, label: key, kind: 'text' }));
  const rows = [
    ['art. 21 ust. 2 lit. d)', 'Art. 21(2)(d); Art. 23', 'w 24 h, po 7 dniach i 30 dni', 'start. 5 hours <h>'],
  ];
  const content = { columns, rows, truncated: false };
  const html = renderReportBody({ ...bare, sections: [{ key: 'x', title: 'X', kind: 'table', content }] });
  const unbroken = [...html.matchAll(/<span class="report-unbroken">(.*?)<\/span>/g)].map(([, text]) => text);
  expect(unbroken).toEqual(['art. 21', 'ust. 2', 'lit. d)', 'Art. 21(2)(d)', 'Art. 23', '24 h', '30 dni']);
  expect(html).toContain('<bdi>start. 5 hours &lt;h&gt;</bdi>');
});

test('the versions behind the statuses are named, and nothing where they are unknown', () => {
  const versions = { catalogueVersion: '2026.11', evaluatorVersion: '<1>' };
  const html = renderReportBody({ ...bare, ...versions, lang: 'pl' });
  expect(html).toContain('<dt>Katalog wymagań</dt><dd>wersja 2026.11; reguły oceny: wersja &lt;1&gt;</dd>');
  for (const unknown of [{}, { catalogueVersion: null, evaluatorVersion: null }])
    expect(renderReportBody({ ...bare, ...unknown })).not.toContain('Catalogue of requirements');
});

test('the key that requested a report is named in the language of the report', () => {
  const generatedBy = 'auditor (key 8a0d4c1e-1111-4000-8000-00000000000a)';
  expect(renderReportBody({ ...bare, generatedBy, lang: 'pl' })).toContain('przez <bdi>auditor (klucz 8a0d4c1e-');
  expect(renderReportBody({ ...bare, generatedBy })).toContain('by <bdi>auditor (key 8a0d4c1e-');
});
