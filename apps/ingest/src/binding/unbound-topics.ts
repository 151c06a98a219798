import type { SourceBinding } from '@tenantscope/store/ingest';

/** The topics of one cluster that this cell may have read, and does not read any more. */
export function findUnboundTopics(all: readonly SourceBinding[]): string[] {
  const bound = new Set(all.filter(isReadHere).map(({ topic }) => topic));
  return [...new Set(all.map(({ topic }) => topic))].filter((topic) => !bound.has(topic));
}

export const isReadHere = ({ isRemoved, isElsewhere }: SourceBinding): boolean => !isRemoved && !isElsewhere;
