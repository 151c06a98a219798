import type { InputRecord } from '../../compliance/input-records.ts';
import type { Random } from '../random.ts';
import { createAccounts } from './accounts.ts';
import { createAttestations } from './attestations.ts';
import { createDevices } from './devices.ts';
import { createFiles, createRestrictedReads } from './files.ts';
import { createAlerts, createEpisodes, createReactions } from './operations.ts';
import { createChooser, type Part } from './part.ts';
import { createAgents, createAppsAndGroups } from './programs.ts';

/** A tenant of random records, with the counts and the verdicts of attestations that follow from them. */
export function createTenant(random: Random) {
  const choose = createChooser(random);
  const accounts = createAccounts(choose);
  const parts: readonly Part[] = [
    accounts,
    createDevices(choose),
    createFiles(choose),
    createRestrictedReads(choose),
    createAgents(choose, accounts.users),
    createAppsAndGroups(choose, accounts.users),
    createAlerts(choose),
    createEpisodes(choose),
    createReactions(choose),
  ];
  const written: Record<string, InputRecord[]> = {};
  for (const part of parts)
    for (const [source, records] of Object.entries(part.written))
      written[source] = [...(written[source] ?? []), ...records];
  const { exceptions = [], ...ofSources } = written;
  const attestations = createAttestations(choose);
  return {
    counts: Object.assign({}, ...parts.map(({ counts }) => counts)) as Readonly<Record<string, Part['counts'][string]>>,
    written: ofSources,
    declared: [...exceptions, ...attestations.records],
    attested: attestations.statuses,
    newestEventMs: Math.max(0, ...parts.map(({ newestEventMs = 0 }) => newestEventMs)),
  };
}

export type RandomTenant = ReturnType<typeof createTenant>;
