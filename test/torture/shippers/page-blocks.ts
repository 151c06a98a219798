import { readFile } from 'node:fs/promises';

/** The code block with this label of a page in docs/sources: "```properties worker" has the label `worker`. */
export async function readPageBlock(page: string, label: string): Promise<string> {
  const text = await readFile(new URL(`../../../docs/sources/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`\\w+ ${label}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  if (blocks.length !== 1) throw new Error(`${page} has ${blocks.length} blocks with the label ${label}`);
  return blocks[0]?.[1] ?? '';
}

/** The configuration of a page with the addresses and paths of a test. A page without one of them is an error. */
export function substitute(text: string, values: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [placeholder, value] of Object.entries(values)) {
    if (!result.includes(placeholder)) throw new Error(`the configuration of the page lacks ${placeholder}`);
    result = result.replaceAll(placeholder, () => value);
  }
  return result;
}
