import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { Window } from './window.ts';

/** Opens the feeds and waits until the table of this title has as many rows; returns the table and the texts of the rows. */
export async function openFeedsTable(
  window: Window,
  title: string,
  rowCount: number,
): Promise<{ table: Locator; texts: string[] }> {
  await window.go('/feeds');
  const table = window.page.getByRole('region', { name: title }).getByRole('table');
  await table.waitFor({ timeout: 30_000 });
  const rows = table.getByRole('row');
  // One row has the names of the columns.
  await expect.poll(() => rows.count()).toBe(rowCount + 1);
  return { table, texts: (await rows.allInnerTexts()).slice(1) };
}
