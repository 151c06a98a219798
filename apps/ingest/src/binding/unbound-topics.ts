import type { SourceBinding } from '@tenantscope/store/ingest';

/** The topics of one cluster that were bound and are not any more. */
export function findUnboundTopics(all: readonly SourceBinding[]): string[] {
  const bound = new Set(all.filter(({ isRemoved }) => !isRemoved).map(({ topic }) => topic));
  return [...new Set(all.map(({ topic }) => topic))].filter((topic) => !bound.has(topic));
}
