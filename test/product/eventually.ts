/** Machines are shared: what takes a second alone may take three beside others. */
const patience = 3;

/** Asks until the answer is true; throws with the name of what did not come to pass. */
export async function eventually(what: string, withinMs: number, ask: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + withinMs * patience;
  let lastFailure: unknown;
  for (;;) {
    try {
      if (await ask()) return;
    } catch (error) {
      lastFailure = error;
      if (/ended with/.test(String(error))) throw error;
    }
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`, { cause: lastFailure });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
