/** Replaces characters that are invisible or change the text around them by their escape sequence. */
export const escapeInvisible = (text: string): string => text.replace(invisible, escapeUtf16);

// Controls, line separators, annotations, and default-ignorable code points (directions, joiners, fillers, tags) except emoji variation selectors.
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** By UTF-16 code unit, as JSON and the languages of the snippets do. */
const escapeUtf16 = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
