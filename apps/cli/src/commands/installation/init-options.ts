export interface InitOptions {
  readonly directory: string;
  readonly image?: string;
  readonly bind: string;
  readonly publicUrl: string;
  readonly consoleUrl: string;
  /** Addresses of stores that are not run by Compose. */
  readonly postgres?: string;
  readonly kafka?: string;
  readonly redis?: string;
}
