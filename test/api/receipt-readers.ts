import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LogReceipt } from '@tenantscope/contract';
import { checkout } from '@tenantscope/local';
import { digestJson } from '@tenantscope/proof';
import { expect } from 'vitest';

// Programs of receivers that compare stored rows with receipts, as the pages have them.

export interface Receiver {
  /** Programs run in it. */
  readonly directory: string;
  /** URL and key. */
  readonly environment: Readonly<Record<string, string>>;
}

const execute = promisify(execFile);

/** The output; of a program that failed, after the word. */
const runProgram = (command: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) =>
  execute(command, args, options).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `failed: ${stdout}${stderr}`,
  );

/** The code block with this label. */
async function readBlock(page: string, pattern: string): Promise<string> {
  const text = await readFile(join(checkout, page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${pattern}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  expect(blocks, page).toHaveLength(1);
  return blocks[0]?.[1] ?? '';
}

/** The script of docs/polling.md, which needs nothing of the product. */
export async function expectScriptVerifies({ directory }: Receiver, rows: string, receipts: readonly LogReceipt[]) {
  const script = await readBlock('docs/polling.md', 'python');
  expect(script.split('\n').length).toBeLessThanOrEqual(21);
  await writeFile(join(directory, 'receipts.json'), JSON.stringify({ data: receipts }));
  const verify = async (text: string) => {
    await writeFile(join(directory, 'logs.ndjson'), text);
    return runProgram('python3', ['-c', script], { cwd: directory, env: process.env });
  };
  expect(await verify(rows)).toBe('verified\n');
  expect(await verify(rows.replace('FileAccessed', 'FileDeleted'))).toContain('failed: ');
  expect(await verify(rows.replace(/\n.*\n/, '\n'))).toContain('failed: ');
}

/** The examples of the clients, with the output of each. */
async function readExamples({ directory, environment }: Receiver) {
  const python = await readBlock('clients/python/README.md', 'python receipts');
  const typescript = (await readBlock('packages/client/README.md', 'ts receipts')).replace(
    "'logs.ndjson'",
    JSON.stringify(join(directory, 'logs.ndjson')),
  );
  const env = { PATH: process.env.PATH, ...environment, PYTHONDONTWRITEBYTECODE: '1' };
  return {
    Python: () =>
      runProgram('python3', ['-c', python], {
        cwd: directory,
        env: { ...env, PYTHONPATH: join(checkout, 'clients', 'python') },
      }),
    TypeScript: () =>
      runProgram(process.execPath, ['--input-type=module-typescript', '--eval', typescript], { cwd: checkout, env }),
  };
}

async function storeRows({ directory }: Receiver, rows: readonly string[]): Promise<void> {
  await writeFile(join(directory, 'logs.ndjson'), rows.map((row) => `${row}\n`).join(''));
}

/** The example of each client reports these differences of the stored rows, and how many rows it compared. */
export async function expectClientsReport(
  receiver: Receiver,
  rows: readonly string[],
  differences: readonly (readonly [kind: string, hour: string, id: string | null | undefined])[],
  compared: number,
): Promise<void> {
  await storeRows(receiver, rows);
  const show = (nothing: string) =>
    differences.map(([kind, hour, id]) => `${kind} ${hour} ${id ?? nothing}\n`).join('') +
    `${compared} rows compared, 0 of them by id alone\n`;
  const { Python, TypeScript } = await readExamples(receiver);
  expect(await Python()).toBe(show('None'));
  expect(await TypeScript()).toBe(show('null'));
}

/** The example of each client names the days whose receipts are not those of the service. */
export async function expectClientsNameReceipts(receiver: Receiver, rows: readonly string[], days: readonly string[]) {
  const alterations: readonly (readonly [(receipts: LogReceipt[]) => readonly unknown[], readonly number[]])[] = [
    [([first, second, ...rest]) => [first, { ...second, rowCount: 1 }, ...rest], [1]],
    [([first, _, ...rest]) => [first, ...rest], [2]],
    // As if the history before the second day had been another one.
    [
      ([first, second, ...rest]) => [first, digestAgain({ ...second, previousSha256: 'a'.repeat(64) }), ...rest],
      [1, 2],
    ],
  ];
  for (const [alter, named] of alterations) {
    await using proxy = await startReceiptProxy(receiver.environment.TENANTSCOPE_URL ?? '', alter);
    const altered = { ...receiver, environment: { ...receiver.environment, TENANTSCOPE_URL: proxy.url } };
    const differences = named.map((day) => ['receipt', days[day] ?? '', null] as const);
    await expectClientsReport(altered, rows, differences, rows.length);
  }
}

async function digestAgain({ sha256: _, ...content }: Partial<LogReceipt>) {
  return { ...content, sha256: await digestJson(content) };
}

/** Passes requests on to the API and alters the receipts in its responses. */
async function startReceiptProxy(url: string, alter: (receipts: LogReceipt[]) => readonly unknown[]) {
  const server = createServer(async ({ url: path = '', headers: { authorization = '' } }, response) => {
    const served = await fetch(url + path, { headers: { authorization } });
    const body = await served.text();
    const isAltered = path.startsWith('/logs/receipts');
    const text = isAltered ? JSON.stringify({ data: await Promise.all(alter(JSON.parse(body).data)) }) : body;
    response.writeHead(served.status, { 'content-type': 'application/json' }).end(text);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The example of each client names the rows that were removed, altered and added. */
export async function expectClientsNameDifferences(receiver: Receiver, rows: readonly string[]) {
  const programs = await readExamples(receiver);
  const idOf = (row: string | undefined) => (JSON.parse(row ?? '') as { id: string }).id;
  const hourOf = (row: string | undefined) =>
    (JSON.parse(row ?? '') as { discoveredAt: string }).discoveredAt.slice(0, 13);
  const at = (row: number) => rows.at(row) ?? '';
  const added = at(3).replace(/"id":"[0-9a-f]{8}/, '"id":"00000000');
  const altered = at(9).replace('"action":"FileAccessed"', '"action":"FileDeleted"');
  const spaced = at(9).replaceAll('":', '": ');
  const [last, end] = [rows.length, rows.length - 1];
  const name = (kind: string, row: string) => `${kind} ${hourOf(row)} ${idOf(row)}\n`;
  const count = (uncompared = 0) => `${last} rows compared, ${uncompared} of them by id alone\n`;
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['all rows', rows, count()],
    [
      'in another order, with repeated rows',
      [...rows.slice(300), '', '{"pagination":{}}', ...rows.slice(0, 700)],
      count(),
    ],
    ['written with other spaces', rows.with(9, spaced), count()],
    ['removed', rows.toSpliced(7, 1), name('removed', at(7)) + count()],
    ['removed with its hour', rows.slice(0, end), name('removed', at(end)) + count()],
    ['altered', rows.with(9, altered), name('altered', at(9)) + count()],
    ['repeated with another content', [...rows, altered], name('altered', at(9)) + count()],
    ['added', [...rows, added], name('added', added) + count()],
    [
      'all at once',
      [...rows.with(9, altered).toSpliced(7, 1), added],
      name('removed', at(7)) + name('altered', at(9)) + name('added', added) + count(),
    ],
    ['of another version', rows.with(9, at(9).replace('{"id"', '{"further":1,"id"')), count(1)],
  ];
  for (const [title, stored, output] of cases) {
    await storeRows(receiver, stored);
    for (const [client, run] of Object.entries(programs)) expect(await run(), `${client}: ${title}`).toBe(output);
  }
}
