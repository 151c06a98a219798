import { type ConsoleStore, connectConsole } from '@tenantscope/store';
import { withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { guid, wholeNumber } from './arguments.ts';
import { onDatabase } from './database-failure.ts';
import { chosenOrganization } from './org.ts';
import { adminUrls } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import { table } from './table.ts';

export interface AuditOptions {
  readonly org?: string;
}

/** What concerns no organization has a chain of its own. */
const installation = { id: '00000000-0000-0000-0000-000000000000', name: 'the installation' };

/** What administrators did, newest first. */
export async function listAudit(options: AuditOptions & { limit: string }, around: Surroundings): Promise<Answer> {
  const limit = wholeNumber(options.limit, '--limit', { from: 1, to: 1_000 });
  const events = await withChain(options, around, (store, { id: organizationId }) =>
    store.audit.read({ organizationId, fromMs: 0, toMs: Date.now() + 86_400_000, before: null, limit }),
  );
  const text = table(
    events,
    [
      ['number', ({ number }) => number],
      ['at', ({ at }) => at],
      ['who', ({ actor, actorName }) => actorName ?? actor],
      ['did', ({ act }) => act],
      ['what', ({ subjectType, subjectId }) => `${subjectType} ${subjectId}`],
      ['sha256', ({ sha256 }) => sha256.slice(0, 16)],
    ],
    'Nothing was done yet.',
  );
  return { document: { data: events }, text };
}

/** Computes the chain again from its first event. What was changed, put between, taken out or cut off in the database shows. */
export async function verifyAudit(options: AuditOptions, around: Surroundings): Promise<Answer> {
  const { chain, verdict } = await withChain(options, around, async (store, chosen) => ({
    chain: chosen,
    verdict: await store.audit.verify(chosen.id),
  }));
  const { through, brokenAt } = verdict;
  const document = { organizationId: chain.id, isWhole: brokenAt === null, ...verdict };
  if (brokenAt === null) return { document, text: `All ${through} events of ${chain.name} fit.` };
  const problem = `event ${brokenAt} of ${chain.name} does not follow from those before it; up to ${through} all fit`;
  return { document, text: '', problems: [problem] };
}

async function withChain<Result>(
  { org }: AuditOptions,
  around: Surroundings,
  work: (store: ConsoleStore, chain: { id: string; name: string }) => Promise<Result>,
): Promise<Result> {
  const wanted = org === undefined || org === 'installation' ? null : guid(org, '--org');
  const chain =
    org === 'installation'
      ? installation
      : await withAdmin(around.environment, async (admin) =>
          chosenOrganization(await admin.organizations.list(), wanted),
        );
  const urls = adminUrls(around.environment);
  return onDatabase(urls.control, 'TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL', async () => {
    await using store = await connectConsole(urls);
    return await work(store, chain);
  });
}
