import { CommandError } from '../../../command-error.ts';
import { findTenant, withAdmin } from '../../../connections/admin-connection.ts';
import type { CommandContext } from '../../../context.ts';
import { parseGuid, parseInteger } from '../../../input/option-parsers.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatTable } from '../../../output/table.ts';
import { createResult, formatResult, listProblems } from './import-result.ts';

export async function listImports(
  options: { readonly limit: string; readonly tenant?: string },
  context: CommandContext,
): Promise<CommandResult> {
  const limit = parseInteger(options.limit, '--limit', { from: 1, to: 1_000 });
  const { found, problems } = await withAdmin(context.environment, async (admin) =>
    admin.imports.list(
      options.tenant === undefined ? { limit } : { limit, tenantId: (await findTenant(admin, options.tenant)).id },
    ),
  );
  const text = formatTable(
    found,
    [
      ['id', ({ id }) => id],
      ['started', ({ startedAt }) => startedAt],
      ['by', ({ startedBy }) => startedBy],
      ['tenant', ({ tenantId }) => tenantId],
      ['format', ({ format }) => format],
      ['published', ({ published }) => published],
      ['state', ({ publishedAt }) => (publishedAt === null ? 'running or interrupted' : 'published')],
      ['files', ({ files }) => files.map(({ name }) => name).join(', ')],
    ],
    'No imports.',
  );
  return { document: { data: found }, text, problems };
}

export async function showImport(id: string, context: CommandContext): Promise<CommandResult> {
  const importId = parseGuid(id, 'the id of an import');
  return withAdmin(context.environment, async (admin) => {
    const stored = await admin.imports.find(importId);
    if (stored === null) throw new CommandError(`there is no import ${importId}; see "tenantscope imports list"`);
    const { outcome, problems } = await admin.imports.readOutcome(stored);
    const result = createResult(stored, outcome);
    return {
      document: { ...result, files: stored.files },
      text: formatResult(result),
      problems: [...problems, ...listProblems(result)],
    };
  });
}
