import { randomUUID } from 'node:crypto';
import type { Browser, Response } from 'playwright-core';
import type { Places } from './secret-search.ts';
import { openWindow, type Window } from './window.ts';

/** Collects the secrets of a test and every text in which they are searched. */
export interface SecretRecorder {
  /** The secrets, by name. */
  readonly secrets: Map<string, string>;
  /** Heads and bodies of the responses of the console. */
  readonly responses: Places;
  /** What pages, processes and databases contain. */
  readonly contents: Places;
  /** A window whose responses are all recorded. */
  openRecordedWindow(owner: string): Promise<Window>;
  /** Sends a request in a session and records the response. */
  request(sid: string, method: string, path: string, body?: object): Promise<{ status: number; text: string }>;
  /** Resolves when all responses until now are recorded. */
  settle(): Promise<void>;
}

export function createSecretRecorder(browser: Browser, origin: string): SecretRecorder {
  const responses: Places = new Map();
  const reading: Promise<void>[] = [];
  const record = async (name: string, response: Response): Promise<void> => {
    const headers = await response.headersArray().catch(() => []);
    const body = await response.body().catch(() => Buffer.alloc(0));
    const run = headers.find((header) => header.name.toLowerCase() === 'x-run')?.value ?? '';
    responses.set(
      `${name}: head`,
      [...headers.map((header) => `${header.name}: ${header.value}`), Buffer.from(run, 'base64url')].join('\n'),
    );
    responses.set(`${name}: body`, body.toString());
  };
  return {
    secrets: new Map(),
    responses,
    contents: new Map(),
    async openRecordedWindow(owner) {
      const window = await openWindow(browser, origin, null, {});
      window.context.on('response', (response: Response) => {
        const name = `${owner} ${randomUUID()} ${response.request().method()} ${response.url()}`;
        if (response.url().startsWith(origin)) reading.push(record(name, response));
      });
      return window;
    },
    async request(sid, method, path, body) {
      const response = await fetch(origin + path, {
        method,
        headers: {
          Cookie: `sid=${sid}`,
          ...(body ? { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      const run = response.headers.get('x-run') ?? '';
      responses.set(
        `${method} ${path} ${JSON.stringify(body ?? '')}`,
        [...response.headers].join('\n') + text + Buffer.from(run, 'base64url'),
      );
      return { status: response.status, text };
    },
    async settle() {
      await Promise.all(reading);
    },
  };
}
