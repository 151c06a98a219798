import type { Json } from '../json/value.ts';

/**
 * Fields of the frame that Azure Monitor puts around a record; they are used where the record lacks its own. Graph sends
 * records without a frame.
 */
export interface LogFrame {
  readonly action?: Json | undefined;
  readonly address?: Json | undefined;
  /** The Entra tenant whose log this is. */
  readonly tenant?: Json | undefined;
  readonly resultType?: Json | undefined;
  readonly sourceName: string | null;
  readonly time?: Json | undefined;
}
