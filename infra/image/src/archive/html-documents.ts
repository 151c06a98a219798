import { globSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { Marked } from 'marked';

/** Nothing in a page is loaded from elsewhere. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'";
const style =
  'body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 sans-serif}pre{padding:1rem;overflow-x:auto;background:#f4f4f4}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}';

/** Writes the documents of a checkout as HTML below a directory, with the files of `docs` next to them. Links between documents stay links. */
export async function writeHtmlDocuments(checkout: string, directory: string): Promise<void> {
  await cp(join(checkout, 'docs'), join(directory, 'docs'), { recursive: true });
  const paths = globSync(['*.md', 'docs/**/*.md'], { cwd: checkout }).map((path) => path.replaceAll('\\', '/'));
  const pages = new Set(paths);
  for (const path of paths) {
    const page = join(directory, toHtmlPath(path));
    await mkdir(dirname(page), { recursive: true });
    await writeFile(page, renderDocument(await readFile(join(checkout, path), 'utf8'), path, pages));
  }
}

const toHtmlPath = (path: string): string => path.replace(/\.md$/, '.html');

/** @param pages the documents of the archive: links to other files of the checkout become text */
export function renderDocument(markdown: string, path: string, pages: ReadonlySet<string>): string {
  const title = escapeHtml(/^# (.+)$/m.exec(markdown)?.[1] ?? path);
  const used = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const anchor = nameAnchor(tokens.map(({ raw }) => raw).join(''), used);
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolveLink(href, path, pages);
        return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
    },
  });
  const body = marked.parse(markdown, { async: false });
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>${title}</title><style>${style}</style></head><body>\n${body}</body></html>\n`;
}

function resolveLink(href: string, path: string, pages: ReadonlySet<string>): string | null {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(path), file);
  if (!pages.has(target)) return target.startsWith('docs/') && !target.endsWith('/') ? href : null;
  const address = toHtmlPath(relative(posix.dirname(path), target).replaceAll('\\', '/'));
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** As GitHub names the anchors of headings. */
function nameAnchor(heading: string, used: Map<string, number>): string {
  const name = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const count = used.get(name) ?? 0;
  used.set(name, count + 1);
  return count === 0 ? name : `${name}-${count}`;
}

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
