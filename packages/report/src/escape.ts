const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Escapes text for HTML. Characters that are not allowed in documents, and those that change the direction of text, become
 * visible.
 */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => named[character] ?? '')
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, (character) =>
      /[\t\n\r]/.test(character) ? ' ' : '\ufffd',
    );
}
