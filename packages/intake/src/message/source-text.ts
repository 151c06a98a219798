/** The JSON text of a provider record as it was received, without what it was wrapped in. */
export interface SourceText {
  readonly text: Buffer;
  /** Set where `text` is one part of the record and records of one message share the rest; null where it is all of it. */
  readonly frame: SourceFrame | null;
}

/** What records of one message have in common. Kept apart: ten thousand events may share an envelope of half a megabyte. */
export interface SourceFrame {
  readonly before: Buffer;
  readonly after: Buffer;
}

export function toSource(text: Buffer): SourceText {
  return { text, frame: null };
}
