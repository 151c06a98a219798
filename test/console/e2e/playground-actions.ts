import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Window } from './window.ts';

/** Sends the form and waits for the response. Returns the request line that was sent. */
export async function send({ page }: Window): Promise<string> {
  // The screen header is rendered before the operations are loaded.
  await page.locator('form.panel').waitFor();
  const responded = page.waitForResponse((response) => response.url().endsWith('/playground/run'));
  await page.keyboard.press('Control+Enter');
  await responded;
  await page.locator('.play > section[aria-busy="false"]').waitFor();
  await page.getByText(/ ms$/).first().waitFor();
  return (await page.locator('.request code').first().textContent()) ?? '';
}

export async function choose(page: Page, operation: string): Promise<void> {
  await page.getByLabel('Operation').selectOption(operation);
}

/** Shows every parameter. */
export async function showAllParameters(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: /^More parameters/ });
  if ((await more.count()) > 0) await more.click();
}

export async function readStatus(page: Page): Promise<string> {
  return (await page.locator('.play [role=status] .status').first().textContent()) ?? '';
}

/** The content of the download. */
export async function downloadResponse(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  const stream = await download.createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Whether the element is inside the viewport. */
export function isInViewport(page: Page, selector: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);
}

/** Polls until the value equals the expected one: the page may still scroll or render, slowly on a busy machine. */
export async function expectSoon(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  await expect.poll(read).toEqual(expected);
}
