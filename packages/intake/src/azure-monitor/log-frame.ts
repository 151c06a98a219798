import type { Json, JsonObject } from '../json/value.ts';

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
  readonly resultDescription?: Json | undefined;
  readonly correlationId?: Json | undefined;
  /** The category of the diagnostic setting; null for Graph. */
  readonly category: string | null;
  readonly sourceName: string | null;
  readonly time?: Json | undefined;
  /** The frame itself. */
  readonly members: JsonObject;
}

export const noFrame: Pick<LogFrame, 'category' | 'members'> = { category: null, members: {} };
