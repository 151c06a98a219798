/** Runs pieces of work one after the other, also after one that failed. */
export type Sequence = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function createSequence(): Sequence {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
