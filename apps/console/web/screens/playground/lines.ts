/** One line of a document as it is shown; `end` is the line that closes what this one opens, else itself. */
export interface Line {
  readonly depth: number;
  readonly text: string;
  readonly end: number;
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * A document in lines, by its own characters: nothing is parsed, so that every digit and every escape stands as it came. What is no JSON comes out in
 * some lines too.
 */
export function linesOf(json: string): readonly Line[] {
  const lines: { depth: number; text: string; end: number }[] = [];
  const open: number[] = [];
  let line = '';
  const push = () => {
    if (line !== '') lines.push({ depth: open.length, text: line, end: lines.length });
    line = '';
  };
  const word = /[^\s,:{}[\]"]+/y;
  for (let at = 0; at < json.length; ) {
    const letter = json.charAt(at);
    if (letter === '"') {
      const end = endOfString(json, at);
      line += json.slice(at, end);
      at = end;
    } else if (letter === '{' || letter === '[') {
      const next = pastSpace(json, at + 1);
      if (json[next] === closing[letter]) {
        line += letter + closing[letter];
        at = next + 1;
        continue;
      }
      line += letter;
      const index = lines.length;
      push();
      open.push(index);
      at += 1;
    } else if (letter === '}' || letter === ']') {
      push();
      const opener = lines[open.pop() ?? -1];
      if (opener) opener.end = lines.length;
      line = letter;
      at += 1;
    } else if (letter === ',') {
      line += ',';
      push();
      at += 1;
    } else if (letter === ':') {
      line += ': ';
      at += 1;
    } else {
      word.lastIndex = at;
      const found = word.exec(json)?.[0];
      if (found !== undefined) line += found;
      at += found?.length ?? 1;
    }
  }
  push();
  return lines;
}

function pastSpace(json: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(json[at] ?? 'x')) at += 1;
  return at;
}

function endOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}

/** Characters that act on the text around them, or show nothing, as their number: what a sender wrote stays in its place. */
export const visible = (text: string): string =>
  text.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
