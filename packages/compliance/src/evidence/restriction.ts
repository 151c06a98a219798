import type { Json } from '@tenantscope/proof';
import { toldCount, toldText, toldTime } from './told-value.ts';

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

/** The kind of sensitive information a restriction is about. */
export function dataTypeOf(told: unknown, name: string | null): Json {
  const type = membersOf(told);
  return { id: toldText(type.id), name: toldText(type.name) ?? name };
}

export function personOf(told: unknown): Json {
  const { id, name } = membersOf(told);
  return { id: toldText(id), name: toldText(name) };
}

/** An exposure as it was stored, what nobody counted null. */
export function exposureOf(told: unknown) {
  const { files, users, externalUsers, apps, agents, sites, labelCoveredPct, computedAt } = membersOf(told);
  return {
    counts: {
      files: toldCount(files),
      users: toldCount(users),
      externalUsers: toldCount(externalUsers),
      apps: toldCount(apps),
      agents: toldCount(agents),
    },
    sites: toldCount(sites),
    labelCoveredPct:
      typeof labelCoveredPct === 'number' && labelCoveredPct >= 0 && labelCoveredPct <= 100 ? labelCoveredPct : null,
    computedAt: toldTime(computedAt),
  };
}
