/** A file generated from the declarations. `path` is relative to the repository root. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}
