import { codeOf, isUnavailable, QueryTimedOut } from '@tenantscope/store';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** What the environment caused and time may mend: a store that is away, hung, full or busy. Never a reason for a dead letter. */
export const isEnvironmental = (error: unknown): boolean =>
  isUnavailable(error) || error instanceof QueryTimedOut || /^(57|55|54|40|25)/.test(codeOf(error));

/** What a row itself caused: the server refused its content. */
export const isRefusedContent = (error: unknown): boolean => /^(22|23)/.test(codeOf(error));

/**
 * Repeats until it works or is not wanted any more (null). Only what the environment caused is repeated; pauses grow, with jitter, so
 * that many workers do not come back in step.
 */
export async function persist<Value>(
  work: () => Promise<Value>,
  options: { wanted: () => boolean; paused: (error: unknown, pauseMs: number) => void },
): Promise<Value | null> {
  for (let attempt = 0; options.wanted(); attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isEnvironmental(error)) throw error;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
      options.paused(error, pauseMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return null;
}
