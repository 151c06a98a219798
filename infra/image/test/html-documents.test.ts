import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkout } from '@tenantscope/local';
import { expect, test } from 'vitest';
import { renderDocument, writeHtmlDocuments } from '../src/archive/html-documents.ts';

const render = (markdown: string) => renderDocument(markdown, 'docs/a/one.md', new Set(['docs/two.md', 'README.md']));

test('links to documents of the archive are links to their pages, and those to sources are text', () => {
  expect(render('[two](../two.md#the-part)')).toContain('<a href="../two.html#the-part">two</a>');
  expect(render('[read](../../README.md)')).toContain('<a href="../../README.html">read</a>');
  expect(render('[code](../../apps/api/src/app.ts)')).toContain('<p>code</p>');
  expect(render('[out](https://example.com/?a=1&b=2)')).toContain('href="https://example.com/?a=1&#38;b=2"');
});

test('headings have the anchors that links name, and repeated ones a number', () => {
  const page = render('# `tail` & more\n\n## Same\n\n## Same\n');
  expect(page).toContain('<h1 id="tail--more">');
  expect(page).toContain('<title>`tail` &#38; more</title>');
  expect(page).toMatch(/<h2 id="same">.*<h2 id="same-1">/s);
});

test('every link between pages names a file and an anchor that exist, and no page loads anything', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-html-'));
  try {
    await writeHtmlDocuments(checkout, directory);
    const pages = globSync('**/*.html', { cwd: directory });
    expect(pages).toContain(join('docs', 'operations', 'air-gap.html'));
    const broken: string[] = [];
    for (const page of pages) {
      const html = await readFile(join(directory, page), 'utf8');
      expect(html, page).not.toMatch(/<(?:script|link|iframe)\b|<img[^>]+src="https?:/);
      for (const [, href = ''] of html.matchAll(/<a href="(?!https?:|mailto:)([^"]*)"/g)) {
        const [file = '', anchor] = href.split('#');
        const target = file === '' ? join(directory, page) : join(directory, dirname(page), file);
        const isFile = await stat(target).then(
          (found) => found.isFile() || found.isDirectory(),
          () => false,
        );
        const hasAnchor = async () => (await readFile(target, 'utf8')).includes(`id="${anchor}"`);
        if (!isFile || (anchor !== undefined && !(await hasAnchor()))) broken.push(`${page}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
