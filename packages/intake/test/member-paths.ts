export type Path = readonly (string | number)[];

/** Paths to every member and element of a value, the value itself left out. */
export function listPaths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const path = [...at, Array.isArray(value) ? Number(name) : name];
    return [path, ...listPaths(member, path)];
  });
}
