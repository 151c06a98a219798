import leven from 'leven';

const comparedMaxLength = 64;
const nearNamesMax = 3;

/** Up to three names that resemble what a client sent, the nearest first: fewer than half of their characters differ. */
export function findNearNames(given: string, names: readonly string[]): readonly string[] {
  const text = given.slice(0, comparedMaxLength).toLowerCase();
  return names
    .map((name) => ({ name, distance: leven(text, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance < Math.max(name.length, text.length) / 2)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, nearNamesMax)
    .map(({ name }) => name);
}
