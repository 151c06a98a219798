/** Something that can be gone to or done, as it is looked for. */
export interface Sought {
  readonly label: string;
  /** Said beside it: an id, a path, what it is for. */
  readonly hint?: string;
}

const marks = /\p{M}/gu;
const between = /[\s/_.,:·{}«»()…-]+/u;
/** Without case and accents: whoever types «zazolc» means «Zażółć». */
const plain = (text: string): string => text.toLowerCase().replaceAll('ł', 'l').normalize('NFD').replace(marks, '');

/** Those in which every word that was typed is found somewhere, the nearest first; in the order given where they are equally near. */
export function foundAmong<Entry extends Sought>(typed: string, entries: readonly Entry[]): readonly Entry[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries
    .map((entry) => ({ entry, nearness: nearnessOf(words, entry) }))
    .filter(({ nearness }) => nearness > 0)
    .toSorted((one, other) => other.nearness - one.nearness)
    .map(({ entry }) => entry);
}

/** 0: not found. */
function nearnessOf(words: readonly string[], { label, hint = '' }: Sought): number {
  const [name, beside] = [plain(label), plain(hint)];
  const [ofName, ofBeside] = [name.split(between), beside.split(between)];
  let sum = 0;
  for (const word of words) {
    const nearness = name.startsWith(word)
      ? 6
      : ofName.some((one) => one.startsWith(word))
        ? 5
        : name.includes(word)
          ? 4
          : ofBeside.some((one) => one.startsWith(word))
            ? 3
            : beside.includes(word)
              ? 2
              : ofName.some((one) => isScattered(word, one))
                ? 1
                : 0;
    if (nearness === 0) return 0;
    sum += nearness;
  }
  return sum / words.length;
}

const scatteredMin = 3;

/** Whether the letters stand in the word in their order, others between them: «plgr» in «playground». */
function isScattered(letters: string, word: string): boolean {
  if (letters.length < scatteredMin || letters[0] !== word[0]) return false;
  let at = 0;
  for (const letter of word) if (letter === letters[at]) at += 1;
  return at === letters.length;
}
