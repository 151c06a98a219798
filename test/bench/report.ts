import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '@tenantscope/local';
import type { Machine } from './machine.ts';

export type Cell = string | number | null;

/** One table of results and the description needed to read it. */
export interface Section {
  title: string;
  description: string;
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** Writes the results as Markdown and as JSON; returns the two files. */
export async function writeReport(machine: Machine, sections: readonly Section[]): Promise<string[]> {
  const directory = join(stateDirectory, 'bench');
  await mkdir(directory, { recursive: true });
  const name = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  const markdown = join(directory, `${name}.md`);
  const json = join(directory, `${name}.json`);
  await writeFile(markdown, formatMarkdown(machine, sections));
  await writeFile(json, `${JSON.stringify({ machine, sections }, null, 2)}\n`);
  return [markdown, json];
}

export function formatMarkdown(machine: Machine, sections: readonly Section[]): string {
  const about = [
    `${machine.cores} cores of ${machine.processor}, ${machine.memoryGiB} GiB, ${machine.kernel}`,
    `Node ${machine.node}, PostgreSQL ${machine.postgres}, Kafka ${machine.kafka}, commit ${machine.commit}`,
    `load ${machine.loadBefore} before and ${machine.loadAfter} after; everything, the load itself too, on this one machine`,
  ];
  const tables = sections.map((section) => `## ${section.title}\n\n${section.description}\n\n${tableOf(section)}\n`);
  return `${about.map((line) => `- ${line}`).join('\n')}\n\n${tables.join('\n')}`;
}

function tableOf({ columns, rows }: Section): string {
  const lines = [columns, ...rows].map((cells) => cells.map((cell) => (cell === null ? '' : String(cell))));
  const widths = columns.map((_, index) => Math.max(3, ...lines.map((cells) => cells[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, at) => (at === 0 ? ` ${'-'.repeat(width)} ` : ` ${'-'.repeat(width - 1)}: `)).join('|')}|`;
  const [head = [], ...body] = lines;
  return [line(head), rule, ...body.map(line)].join('\n');
}
