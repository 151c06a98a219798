import { truncateText } from '../field/text.ts';

/** Shortens the texts of one row to their limits and records whether any was longer. */
export class TextLimiter {
  isTruncated = false;
  private readonly show: ((text: string) => string) | null;

  /** @param show makes invisible characters visible; null where there are none, and a short text is returned as it is */
  constructor(show: ((text: string) => string) | null) {
    this.show = show;
  }

  /** At most `limit` UTF-16 units; the last one is then an ellipsis. */
  shorten<Text extends string | null>(text: Text, limit: number): Text {
    if (text === null || (this.show === null && text.length <= limit)) return text;
    return this.limit(text, limit, truncateText) as Text;
  }

  /** At most `limit` code points, without a mark. */
  truncate<Text extends string | null>(text: Text, limit: number): Text {
    if (text === null || (this.show === null && text.length <= limit)) return text;
    return this.limit(text, limit, truncateCodePoints) as Text;
  }

  /** At most `limit` elements. */
  take<Element>(elements: readonly Element[], limit: number): readonly Element[] {
    if (elements.length <= limit) return elements;
    this.isTruncated = true;
    return elements.slice(0, limit);
  }

  /** Shortens before and after: text made visible grows up to ninefold, and a megabyte must not be processed for that. */
  private limit(text: string, limit: number, shorten: (text: string, limit: number) => string): string {
    const first = shorten(text, limit);
    const visible = this.show === null ? first : this.show(first);
    const last = visible === first ? first : shorten(visible, limit);
    if (first !== text || last !== visible) this.isTruncated = true;
    return last;
  }
}

/** The first `limit` code points; a lone surrogate counts as one. */
function truncateCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let at = 0;
  for (let count = 0; count < limit && at < text.length; count++) {
    at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, at);
}
