import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSources } from '@tenantscope/check';
import { dashboards, findUnknownNames, metricLabels, readMetricReference } from '@tenantscope/docs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findUnknownCommand } from './command-lines.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const checkout = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const { groups } = parse(read('infra/observability/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const reference = readMetricReference();
const runbooks = 'docs/operations/runbooks';

test('every metric follows the conventions of Prometheus', () => {
  const wrong = reference.product.filter(
    ({ name, type, help }) =>
      !/^tenantscope_[a-z0-9]+(_[a-z0-9]+)*$/.test(name) ||
      (type === 'counter') !== name.endsWith('_total') ||
      /_(count|sum|bucket|info|ms|milliseconds|minutes|hours|days|kib|mib|percent)$/.test(name) ||
      !/^[A-Z0-9].*\.$/.test(help),
  );
  expect(wrong).toEqual([]);
});

test('every label is described, and no label is of a tenant, a person or a key', () => {
  const used = new Set(reference.product.flatMap(({ labels }) => labels));
  expect([...used].sort()).toEqual(Object.keys(metricLabels).sort());
  expect([...used].filter((label) => /tenant|organi|user|member|person|email|key|(^|_)id$/i.test(label))).toEqual([]);
});

test('an expression with an unknown metric, label or grouping is found', () => {
  const find = (expression: string) => findUnknownNames(expression, reference);
  expect(find('rate(tenantscope_http_requests_total{status=~"5.."}[5m])')).toEqual([]);
  expect(find('rate(tenantscope_http_request_total[5m])')).toEqual(['tenantscope_http_request_total']);
  expect(find('tenantscope_http_requests_total{code="500"}')).toEqual(['tenantscope_http_requests_total{code}']);
  expect(find('sum by (code) (tenantscope_http_requests_total)')).toEqual(['code']);
  expect(find('tenantscope_http_request_duration_seconds')).toEqual(['tenantscope_http_request_duration_seconds']);
  expect(find('tenantscope_auth_failures_total_count')).toEqual(['tenantscope_auth_failures_total_count']);
});

test.each(rules.map((rule) => [`${rule.alert} (${rule.labels.severity})`, rule] as const))(
  'the alert %s reads metrics that exist and has a severity, a description and a page',
  (_, { alert, expr, labels, annotations }) => {
    expect(findUnknownNames(expr, reference)).toEqual([]);
    expect(expr).toMatch(/tenantscope_|process_start_time_seconds/);
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations).toEqual({
      summary: expect.stringMatching(/\S/),
      description: expect.stringMatching(/\.$/),
      runbook_url: `${runbooks}/${nameRunbook(alert)}`,
    });
    for (const [, label = ''] of (annotations.summary ?? '').matchAll(/\$labels\.(\w+)/g))
      expect(expr).toContain(label);
  },
);

test('every alert of a part of a cell names the cell, the process or the topic', () => {
  const ofCells = reference.product.filter(({ labels }) => labels.includes('cell')).map(({ name }) => name);
  const unnamed = rules.filter(({ expr, annotations: { summary = '' } }) => {
    const isOfCell = ofCells.some((name) => new RegExp(`\\b${name}\\b`).test(expr));
    return isOfCell && !/\$labels\.(cell|instance|topic)\b/.test(summary) && !summary.startsWith('No ');
  });
  expect(unnamed.map(({ alert }) => alert)).toEqual([]);
});

test('each alert has one page, and each page is of an alert', () => {
  const pages = readdirSync(join(checkout, runbooks)).sort();
  expect(pages).toEqual([...new Set(rules.map(({ alert }) => nameRunbook(alert)))].sort());
});

test.each([...new Set(rules.map(({ alert }) => alert))])(
  'the page of %s has every section and names its alert',
  (alert) => {
    const page = read(`${runbooks}/${nameRunbook(alert)}`);
    expect(page).toContain(`Alert \`${alert}\`, `);
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
      'What it means for clients',
      'How to see it',
      'What to do',
      'What not to do',
    ]);
    for (const severity of rules.filter((rule) => rule.alert === alert).map(({ labels }) => labels.severity))
      expect(page).toContain(severity);
    const section = (title: string) => page.split(`## ${title}\n`)[1]?.split('\n## ')[0]?.trim() ?? '';
    for (const title of ['What it means for clients', 'How to see it', 'What to do', 'What not to do'])
      expect(section(title)).not.toBe('');
  },
);

test('every command and metric of the pages exists', () => {
  const unknown = [
    ...readdirSync(join(checkout, runbooks)).map((name) => `${runbooks}/${name}`),
    'docs/operations/alerts.md',
  ].flatMap((path) =>
    [...read(path).matchAll(/`([^`\n]+)`/g)].flatMap(([, span = '']) => {
      const command = span.startsWith('tenantscope ') ? findUnknownCommand(span) : null;
      const names = /^(tenantscope|process|nodejs)_/.test(span) ? findUnknownNames(span, withoutSuffixes) : [];
      return [command, ...names].filter((name) => name !== null).map((name) => `${path}: ${name}`);
    }),
  );
  expect(unknown).toEqual([]);
});

const sources = readSources(checkout, '.ts', '.sql').filter(
  ({ path }) => /^(apps|packages|migrations)\//.test(path) && !path.includes('/test/'),
);
const messagesOfPostgres = ['canceling statement due to lock timeout'];

test('every message that a page quotes is one of the product', () => {
  const product = sources.map(({ text }) => text).join('\n');
  const missing = readdirSync(join(checkout, runbooks)).flatMap((page) =>
    [
      ...read(`${runbooks}/${page}`)
        .replace(/`[^`\n]*`/g, '')
        .matchAll(/"([^"\n]+)"/g),
    ]
      .map(([, message = '']) => message)
      .filter((message) => !messagesOfPostgres.includes(message))
      .filter((message) => !message.split(/…|\.\.\./).every((part) => product.includes(part.trim())))
      .map((message) => `${page}: ${message}`),
  );
  expect(missing).toEqual([]);
});

test.each(dashboards.map((dashboard) => [dashboard.name, dashboard] as const))(
  'the dashboard %s reads metrics that exist, and its legends labels of its lines',
  (_, { panels }) => {
    for (const { title, lines } of panels)
      for (const [legend, expression] of lines) {
        expect(findUnknownNames(expression, reference), title).toEqual([]);
        for (const [, label = ''] of legend.matchAll(/{{(\w+)}}/g)) expect(expression, title).toContain(label);
      }
  },
);

test('every metric of the product is on a dashboard or in an alert, except those of a single lane', () => {
  const expressions = [
    ...dashboards.flatMap(({ panels }) => panels.flatMap(({ lines }) => lines.map(([, expression]) => expression))),
    ...rules.map(({ expr }) => expr),
  ].join('\n');
  const unused = reference.product.filter(({ name }) => !expressions.includes(name)).map(({ name }) => name);
  expect(unused).toEqual([
    'tenantscope_ingest_lane_lag_records',
    'tenantscope_ingest_lane_running',
    'tenantscope_ingest_undecodable_batches_total',
    'tenantscope_jobs_snapshots_taken_total',
  ]);
});

test('every alert has a test of its rule', () => {
  const tested = new Set(
    [...read('infra/observability/alerts.test.yaml').matchAll(/alertname="(\w+)"/g)].map(([, name]) => name),
  );
  expect([...tested].sort()).toEqual([...new Set(rules.map(({ alert }) => alert))].sort());
});

test('every alert is fired by a fault of running processes', () => {
  const folder = join(checkout, 'test', 'torture');
  const files = readdirSync(folder).filter((name) => name.endsWith('alerts.test.ts'));
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const fired = new Set(texts.match(/\bTenantscope[A-Z]\w+/g));
  const names = new Set(rules.map(({ alert }) => alert));
  expect([...fired].filter((name) => !names.has(name))).toEqual([]);
  expect([...names].filter((name) => !fired.has(name))).toEqual([]);
});

/** A page names a histogram as a whole. */
const withoutSuffixes = { ...reference, product: reference.product.map((metric) => ({ ...metric, type: 'gauge' })) };

/** TenantscopeApiDown: api-down.md. */
function nameRunbook(alert: string): string {
  const parts = alert.replace(/^Tenantscope/, '').match(/[A-Z][a-z]+/g) ?? [];
  return `${parts.join('-').toLowerCase()}.md`;
}
