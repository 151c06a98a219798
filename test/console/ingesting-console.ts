import { afterAll } from 'vitest';
import { type IngestInstallation, startIngestInstallation } from '../installation/ingest-installation.ts';
import { createTestConsole, type TestConsole } from './test-console.ts';

/** A console on the database of a product that takes in what the tests of one file append. */
export async function startIngestingConsole(): Promise<IngestInstallation & { readonly visited: TestConsole }> {
  const ingesting = await startIngestInstallation();
  const visited = await createTestConsole({}, { lent: ingesting.installation.database });
  // Ends before the product does: what is registered last is run first.
  afterAll(() => visited[Symbol.asyncDispose](), 60_000);
  return { ...ingesting, visited };
}
