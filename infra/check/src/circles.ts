import { posix } from 'node:path';
import type { Finding } from './sources.ts';
import type { ParsedFile } from './syntax.ts';

/**
 * Files that import each other, directly or through others. Type-only and dynamic imports count: they tie the files together for a reader
 * as static ones do. One finding per circle, at its first file.
 */
export function checkCircles(files: readonly ParsedFile[]): Finding[] {
  const paths = new Set(files.map(({ path }) => path));
  const imported = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap((specifier) => resolve(path, specifier, paths))]),
  );
  return stronglyConnected(imported)
    .filter((circle) => circle.length > 1 || circle.some((path) => imported.get(path)?.includes(path)))
    .map((circle) => circle.sort())
    .map((circle) => ({ path: circle[0] ?? '', line: 1, message: `import circle: ${circle.join(' ↔ ')}` }));
}

function resolve(importer: string, specifier: string, paths: ReadonlySet<string>): string[] {
  if (!specifier.startsWith('.')) return [];
  const target = posix.join(posix.dirname(importer), specifier);
  return paths.has(target) ? [target] : [];
}

/** Tarjan's algorithm: https://en.wikipedia.org/wiki/Tarjan%27s_strongly_connected_components_algorithm */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];

  const connect = (node: string): number => {
    order.set(node, order.size);
    let low = order.size - 1;
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      const seen = order.get(next);
      if (seen === undefined) low = Math.min(low, connect(next));
      else if (stack.includes(next)) low = Math.min(low, seen);
    }
    if (low === order.get(node)) components.push(stack.splice(stack.indexOf(node)));
    return low;
  };

  for (const node of edges.keys()) if (!order.has(node)) connect(node);
  return components;
}
