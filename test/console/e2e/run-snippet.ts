import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { findProgram } from '@tenantscope/local';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { preparePython } from '../../mcp/python-environment.ts';

export interface SnippetRun {
  readonly language: string;
  /** The JSON values of its output, one per line. */
  // biome-ignore lint/suspicious/noExplicitAny: responses have different shapes
  readonly output: readonly any[];
}

/** Runs the snippet of each language with the key in the environment. Reports the languages that cannot run here. */
export async function runSnippets(
  page: Page,
  secret: string,
  skipped: (reason: string) => void,
): Promise<readonly SnippetRun[]> {
  const env = { ...process.env, TENANTSCOPE_KEY: secret };
  const python = await preparePython('snippet');
  const missing = ['bash', 'curl', 'jq'].filter((name) => findProgram(name) === null);
  const programs: readonly (readonly [string, readonly string[] | { readonly missing: string }])[] = [
    ['curl', missing.length > 0 ? { missing: missing.join(', ') } : ['bash', '-c']],
    ['Python', 'missing' in python ? python : [python.python, '-c']],
    ['TypeScript', [process.execPath, '--input-type=module-typescript', '--eval']],
  ];
  const runs: SnippetRun[] = [];
  for (const [language, program] of programs) {
    const snippet = await readSnippet(page, language);
    expect(snippet).not.toContain('tscope_live_');
    if ('missing' in program) {
      skipped(`${language}: skipped, since ${program.missing} is missing`);
      continue;
    }
    const [file = '', ...args] = program as readonly string[];
    const { stdout } = await promisify(execFile)(file, [...args, snippet], { env, maxBuffer: 1 << 26 });
    const lines = stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '');
    runs.push({ language, output: lines.map((line) => JSON.parse(line)) });
  }
  return runs;
}

async function readSnippet(page: Page, language: string): Promise<string> {
  await page.getByRole('button', { name: language, exact: true }).click();
  return (await page.locator('#panel pre').textContent()) ?? '';
}

/** Connects an MCP client with the displayed configuration and the variables filled in. */
export async function connectAsConfigured(page: Page, secret: string): Promise<Client> {
  const text = await readSnippet(page, 'MCP client');
  const { type, url, headers } = JSON.parse(text.replaceAll(`\${TENANTSCOPE_KEY}`, secret)).mcpServers.tenantscope;
  expect(type).toBe('http');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport);
  return client;
}
