import { afterAll } from 'vitest';
import { type Ingesting, ingestingProduct } from '../product/ingesting.ts';
import { type TestConsole, testConsole } from './visitor.ts';

/** A console on the database of a product that takes in what the tests of one file append. */
export async function ingestingConsole(): Promise<Ingesting & { readonly visited: TestConsole }> {
  const ingesting = await ingestingProduct();
  const visited = await testConsole({}, { lent: ingesting.running.database });
  // Ends before the product does: what is registered last is run first.
  afterAll(() => visited[Symbol.asyncDispose](), 60_000);
  return { ...ingesting, visited };
}
