import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { findProgram } from '@tenantscope/local';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { preparePython } from '../../mcp/python-environment.ts';

export interface Ran {
  readonly language: string;
  /** What it printed, line by line. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly printed: readonly any[];
}

/** Runs what the snippet tab shows, in each language, with the key in the environment. What cannot be run here is told. */
export async function runSnippets(page: Page, secret: string, skipped: (why: string) => void): Promise<readonly Ran[]> {
  const env = { ...process.env, TENANTSCOPE_KEY: secret };
  // It brings httpx along.
  const python = await preparePython('langchain');
  const missing = ['bash', 'curl', 'jq'].filter((name) => findProgram(name) === null);
  const programs: readonly (readonly [string, readonly string[] | { readonly missing: string }])[] = [
    ['curl', missing.length > 0 ? { missing: missing.join(', ') } : ['bash', '-c']],
    ['Python', 'missing' in python ? python : [python.python, '-c']],
    ['TypeScript', [process.execPath, '--input-type=module-typescript', '--eval']],
  ];
  const ran: Ran[] = [];
  for (const [language, program] of programs) {
    const snippet = await snippetOf(page, language);
    expect(snippet).not.toContain('tscope_live_');
    if ('missing' in program) {
      skipped(`${language}: skipped, since ${program.missing} is missing`);
      continue;
    }
    const [file = '', ...words] = program as readonly string[];
    const { stdout } = await promisify(execFile)(file, [...words, snippet], { env, maxBuffer: 1 << 26 });
    const lines = stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '');
    ran.push({ language, printed: lines.map((line) => JSON.parse(line)) });
  }
  return ran;
}

async function snippetOf(page: Page, language: string): Promise<string> {
  await page.getByRole('button', { name: language, exact: true }).click();
  return (await page.locator('#panel pre').textContent()) ?? '';
}

/** Connects as a client does that is configured so, variables filled in; gives its tools and a caller of them. */
export async function connectAsConfigured(page: Page, secret: string): Promise<Client> {
  const text = await snippetOf(page, 'MCP client');
  const { type, url, headers } = JSON.parse(text.replaceAll(`\${TENANTSCOPE_KEY}`, secret)).mcpServers.tenantscope;
  expect(type).toBe('http');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport);
  return client;
}
