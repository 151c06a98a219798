/** Tests share the machine: a step of one second may take three under load. */
export const slownessFactor = 3;

/** Polls until the condition is true; throws with the description of the condition on timeout. */
export async function eventually(
  what: string,
  withinMs: number,
  condition: () => Promise<boolean> | boolean,
): Promise<void> {
  const deadline = performance.now() + withinMs * slownessFactor;
  let lastFailure: unknown;
  for (;;) {
    try {
      if (await condition()) return;
    } catch (error) {
      lastFailure = error;
      if (/ended with/.test(String(error))) throw error;
    }
    if (performance.now() > deadline)
      throw new Error(`timed out after ${withinMs} ms: ${what}`, { cause: lastFailure });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
