// C0 and C1 controls, zero-width and bidi characters, tag characters, line separators, lone surrogates.
const hidden =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/**
 * Escapes characters that would control the terminal or be invisible, as `\u{…}`; characters in `allowed` pass.
 * Names and records come from tenants and are untrusted.
 */
export function escapeControlCharacters(text: string, allowed: string): string {
  return text.replace(hidden, (found) =>
    allowed.includes(found) ? found : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
