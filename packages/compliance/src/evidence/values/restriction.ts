import type { Json } from '@tenantscope/proof';
import { toCount, toIsoTime, toText } from './reported-value.ts';

type Members = Readonly<Record<string, unknown>>;

const toMembers = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

/** The kind of sensitive information a restriction is about. */
export function toDataType(reported: unknown, name: string | null): Json {
  const type = toMembers(reported);
  return { id: toText(type.id), name: toText(type.name) ?? name };
}

export function toPerson(reported: unknown): Json {
  const { id, name } = toMembers(reported);
  return { id: toText(id), name: toText(name) };
}

/** An exposure as stored; null for counts that are unknown. */
export function toExposure(reported: unknown) {
  const { files, users, externalUsers, apps, agents, sites, labelCoveredPct, computedAt } = toMembers(reported);
  return {
    counts: {
      files: toCount(files),
      users: toCount(users),
      externalUsers: toCount(externalUsers),
      apps: toCount(apps),
      agents: toCount(agents),
    },
    sites: toCount(sites),
    labelCoveredPct:
      typeof labelCoveredPct === 'number' && labelCoveredPct >= 0 && labelCoveredPct <= 100 ? labelCoveredPct : null,
    computedAt: toIsoTime(computedAt),
  };
}
