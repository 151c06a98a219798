import { expect, test } from 'vitest';
import { digestOf, type Link, verifyChain } from '../src/index.ts';

async function chain(length: number): Promise<Link[]> {
  const links: Link[] = [];
  for (let index = 0; index < length; index += 1) {
    const body = { id: `s${index}`, previousSha256: links.at(-1)?.sha256 ?? null, status: { met: index } };
    links.push({ body, sha256: await digestOf(body) });
  }
  return links;
}

test('a whole chain says its length and its head', async () => {
  const links = await chain(4);
  expect(await verifyChain(links, links[3]?.sha256)).toEqual({ whole: true, links: 4, head: links[3]?.sha256 });
  expect(await verifyChain([])).toEqual({ whole: true, links: 0, head: null });
});

test('a link that was altered is found, and so is one that was altered with its digest', async () => {
  const links = await chain(4);
  const body = { ...links[1]?.body, status: { met: 99 } };
  const altered = links.with(1, { body, sha256: links[1]?.sha256 ?? '' });
  expect(await verifyChain(altered)).toEqual({ whole: false, links: 1, broken: { index: 1, reason: 'altered' } });
  const rehashed = links.with(1, { body, sha256: await digestOf(body) });
  expect(await verifyChain(rehashed)).toEqual({ whole: false, links: 2, broken: { index: 2, reason: 'notLinked' } });
});

test('links left out at the beginning or in the middle are found', async () => {
  const links = await chain(4);
  expect(await verifyChain(links.slice(1))).toMatchObject({ whole: false, broken: { index: 0, reason: 'notLinked' } });
  expect(await verifyChain(links.toSpliced(2, 1))).toMatchObject({ broken: { index: 2, reason: 'notLinked' } });
});

test('a tail that was cut off is found by the head that was noted elsewhere', async () => {
  const links = await chain(4);
  const cut = links.slice(0, 3);
  expect(await verifyChain(cut)).toMatchObject({ whole: true });
  expect(await verifyChain(cut, links[3]?.sha256)).toEqual({
    whole: false,
    links: 3,
    broken: { index: 3, reason: 'tailMissing' },
  });
});
