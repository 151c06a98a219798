import { connectConsole, type Role } from '@tenantscope/store/console';
import type { TestDatabase } from '../services/database.ts';

export interface SetUpTokenInput {
  readonly organizationId: string;
  readonly role: Role;
  /** Null: every tenant of the organization. */
  readonly tenantIds: readonly string[] | null;
}

/** Creates a set-up token as the command line does: with its login. */
export async function createSetUpToken({ roles }: TestDatabase, input: SetUpTokenInput): Promise<string> {
  await using store = await connectConsole({ models: roles.admin, control: roles.admin });
  return await store.transaction({ actor: 'cli:test', sessionId: null, requestId: null }, (transaction) =>
    store.setUpTokens.create(transaction, input),
  );
}
