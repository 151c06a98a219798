// C0 and C1 controls, zero-width and bidi characters, tag characters, line separators, lone surrogates.
const hidden =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/**
 * Makes characters visible that would otherwise command the terminal or hide from its reader, as `\u{…}`; `kept` ones pass.
 * Names and records come from other people's tenants.
 */
export function visible(text: string, kept: string): string {
  return text.replace(hidden, (found) =>
    kept.includes(found) ? found : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
