import type { Json } from '../json/value.ts';

/** What the frame around a record knows; it stands in where the record itself is silent. Graph sends records unframed. */
export interface Surroundings {
  readonly action?: Json | undefined;
  readonly address?: Json | undefined;
  /** The Entra tenant whose log this is. */
  readonly tenant?: Json | undefined;
  readonly resultType?: Json | undefined;
  readonly sourceName: string | null;
  readonly time?: Json | undefined;
}
