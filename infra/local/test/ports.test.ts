import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findFreePort } from '../src/index.ts';

const ports = new URL('../src/ports.ts', import.meta.url).href;

/** Finds ports in a process of its own, which lives until its input ends. */
async function findInProcess(count: number): Promise<readonly number[]> {
  const script = `const { findFreePort } = await import('${ports}');
    const found = [];
    for (let number = 0; number < ${count}; number++) found.push(await findFreePort());
    console.log(JSON.stringify(found));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
}

test('live processes are given different ports', { tags: 'exhaustive' }, async () => {
  // Of 12,000 ports: two independent choices of 1,500 would have 187 in common.
  const own = new Set<number>();
  while (own.size < 1_500) own.add(await findFreePort());
  const other = await findInProcess(1_500);
  expect(new Set(other).size).toBe(1_500);
  expect(other.filter((port) => own.has(port))).toEqual([]);
});

test('ports of ended processes are given again, and those in use are not', { tags: 'exhaustive' }, async () => {
  const port = (await findInProcess(1))[0] as number;
  const server = createServer().listen(port, '127.0.0.1');
  try {
    for (let number = 0; number < 200; number++) expect(await findFreePort()).not.toBe(port);
  } finally {
    server.close();
  }
  const ended = await findInProcess(4_000);
  const again = await findInProcess(4_000);
  expect(again.some((one) => ended.includes(one))).toBe(true);
});
