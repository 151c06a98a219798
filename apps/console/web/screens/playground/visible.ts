/** Characters that act on the text around them, or show nothing, as their number: what a sender wrote stays in its place. */
export const visible = (text: string): string => text.replace(acting, (letter) => numbered(letter));

// Controls, line separators, annotations, and all that asks to be ignored (directions, joiners, fillers, tags) but for what picks an emoji's look.
const acting = /[\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** By halves, as JSON and the languages of the snippets write it. */
const numbered = (letter: string): string =>
  letter
    .split('')
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
