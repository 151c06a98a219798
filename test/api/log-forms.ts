import { expect } from 'vitest';
import type { ControlledInstallation } from '../guards/controlled-installation.ts';
import { sealPartition } from './sealed-log.ts';

interface Source {
  readonly product: ControlledInstallation;
  readonly key: string;
  /** All rows, page by page. */
  receiveRows(): Promise<string[]>;
}

const ascending = 'sort=discoveredAtAsc&limit=1000';
const gzip = { 'accept-encoding': 'gzip' };

/** Pages of the log in the forms that clients ask for, with the coding of the response. */
const forms: readonly (readonly [query: string, headers: Record<string, string>, encoding: string | null])[] = [
  [ascending, { 'accept-encoding': 'identity' }, null],
  [ascending, gzip, 'gzip'],
  ['sort=discoveredAtDesc&limit=1000', gzip, 'gzip'],
  [ascending, { accept: 'application/x-ndjson', ...gzip }, 'gzip'],
  ['sort=discoveredAtAsc&limit=300&view=ocsf', gzip, 'gzip'],
];

/** The rows of a page, without its pagination, which has the time. */
async function readForm({ product, key }: Source, query: string, headers: Record<string, string>) {
  const response = await fetch(`${product.baseUrl}/logs?${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const text = await response.text();
  return {
    encoding: response.headers.get('content-encoding'),
    rows: text.slice(0, text.lastIndexOf('"pagination"')),
  };
}

async function readForms(source: Source) {
  const pages = await Promise.all(forms.map(([query, headers]) => readForm(source, query, headers)));
  expect(pages.map(({ encoding }) => encoding)).toEqual(forms.map(([, , encoding]) => encoding));
  return pages;
}

/** Seals the oldest partition: contents of pages are those of before, in each form. */
export async function expectSameWhenSealed(source: Source): Promise<void> {
  const { superuser, database } = source.product;
  const readAll = async () => ({ pages: await readForms(source), polled: await source.receiveRows() });
  const before = await readAll();
  const { rows } = await superuser.query('select name from models.audit_log_partition order by from_at limit 1');
  await sealPartition(superuser, database.roles.ingest, rows[0].name);
  const { rowCount: storedRows } = await superuser.query(
    'select from models.audit_log where discovered_at < (select sealed_before from models.retention)',
  );
  expect(storedRows).toBe(0);
  expect(await readAll()).toEqual(before);
  // Stored bytes are gzip, whatever else a client prefers.
  const preferred = await readForm(source, ascending, { 'accept-encoding': 'zstd, gzip;q=0.1' });
  expect(preferred).toEqual(before.pages[1]);
}
