import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Window } from './window.ts';

/** Sends the form as it stands, and waits until it is answered. Gives the request that went out as its line says it. */
export async function send({ page }: Window): Promise<string> {
  // The head of the screen stands before the operations are known.
  await page.locator('form.panel').waitFor();
  const answered = page.waitForResponse((response) => response.url().endsWith('/playground/run'));
  await page.keyboard.press('Control+Enter');
  await answered;
  await page.locator('.play > section[aria-busy="false"]').waitFor();
  await page.getByText(/ ms$/).first().waitFor();
  return (await page.locator('.request code').first().textContent()) ?? '';
}

export async function choose(page: Page, operation: string): Promise<void> {
  await page.getByLabel('Operation').selectOption(operation);
}

/** Every parameter in sight. */
export async function showAll(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: /^More parameters/ });
  if ((await more.count()) > 0) await more.click();
}

export async function statusOf(page: Page): Promise<string> {
  return (await page.locator('.play [role=status] .status').first().textContent()) ?? '';
}

/** What Download hands over. */
export async function downloadOf(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  const stream = await download.createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Whether it stands in the window, whatever has to be scrolled for it. */
export function isInSight(page: Page, selector: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);
}

/** Once the page has had its turn to scroll, draw and settle. */
export async function soon(what: () => Promise<unknown>, wanted: unknown): Promise<void> {
  await expect.poll(what, { timeout: 10_000 }).toEqual(wanted);
}
