import { expect, test } from 'vitest';
import { type ChainLink, digestJson, verifyChain } from '../src/index.ts';

async function chain(length: number): Promise<ChainLink[]> {
  const links: ChainLink[] = [];
  for (let index = 0; index < length; index += 1) {
    const body = { id: `s${index}`, previousSha256: links.at(-1)?.sha256 ?? null, status: { met: index } };
    links.push({ body, sha256: await digestJson(body) });
  }
  return links;
}

test('an intact chain gives its length and its head', async () => {
  const links = await chain(4);
  expect(await verifyChain(links, links[3]?.sha256)).toEqual({ whole: true, links: 4, head: links[3]?.sha256 });
  expect(await verifyChain([])).toEqual({ whole: true, links: 0, head: null });
});

test('an altered link is found, even if its digest is altered too', async () => {
  const links = await chain(4);
  const body = { ...links[1]?.body, status: { met: 99 } };
  const altered = links.with(1, { body, sha256: links[1]?.sha256 ?? '' });
  expect(await verifyChain(altered)).toEqual({ whole: false, links: 1, broken: { index: 1, reason: 'altered' } });
  const rehashed = links.with(1, { body, sha256: await digestJson(body) });
  expect(await verifyChain(rehashed)).toEqual({ whole: false, links: 2, broken: { index: 2, reason: 'notLinked' } });
});

test('links missing at the beginning or in the middle are found', async () => {
  const links = await chain(4);
  expect(await verifyChain(links.slice(1))).toMatchObject({ whole: false, broken: { index: 0, reason: 'notLinked' } });
  expect(await verifyChain(links.toSpliced(2, 1))).toMatchObject({ broken: { index: 2, reason: 'notLinked' } });
});

test('a removed tail is found by the head that was recorded elsewhere', async () => {
  const links = await chain(4);
  const shortened = links.slice(0, 3);
  expect(await verifyChain(shortened)).toMatchObject({ whole: true });
  expect(await verifyChain(shortened, links[3]?.sha256)).toEqual({
    whole: false,
    links: 3,
    broken: { index: 3, reason: 'tailMissing' },
  });
});
