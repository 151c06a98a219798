const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Characters that are not allowed in documents, and those that change the direction of text, become visible. */
export function replaceControls(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, (character) =>
      /[\t\n\r]/.test(character) ? ' ' : '\ufffd',
    );
}

/** Escapes text for HTML. */
export function escapeText(text: string): string {
  return replaceControls(text).replace(/[&<>"']/g, (character) => named[character] ?? '');
}
