import { describe, expect, it } from 'vitest';
import { evaluate } from '../src/index.ts';
import { bareFacts, requirementNamed } from './facts.ts';

function outcome(key: string, metrics: Record<string, number | null>): string {
  const { status, reason } = evaluate(requirementNamed(key), { ...bareFacts, metrics: { [key]: metrics } });
  return `${status} ${reason}`;
}

describe('subjects with an unknown state', () => {
  it.each([
    // Where more is better, those in order are counted without unknown ones.
    ['iam.mfa.members', { members: 100, mfaRegistered: 98, unknown: 2 }, 'met threshold'],
    ['iam.mfa.members', { members: 100, mfaRegistered: 97, unknown: 3 }, 'at_risk unknown'],
    ['iam.mfa.members', { members: 100, mfaRegistered: 60, unknown: 40 }, 'at_risk unknown'],
    ['iam.mfa.members', { members: 100, mfaRegistered: 91, unknown: 1 }, 'at_risk threshold'],
    ['iam.mfa.members', { members: 100, mfaRegistered: 60, unknown: 31 }, 'not_met unknown'],
    ['iam.mfa.members', { members: 100, mfaRegistered: 60, unknown: 2 }, 'not_met threshold'],
    ['iam.mfa.members', { members: 100, mfaRegistered: 50, unknown: 50 }, 'not_evaluated unknown'],
    ['iam.mfa.members', { members: 1, mfaRegistered: 0, unknown: 1 }, 'not_evaluated unknown'],
    // Where less is better, faulty ones are counted with unknown ones.
    ['data.links.anonymous', { sensitiveFiles: 100, anonymous: 2, unknown: 2 }, 'at_risk unknown'],
    ['data.links.anonymous', { sensitiveFiles: 100, anonymous: 3, unknown: 2 }, 'not_met unknown'],
    ['data.links.anonymous', { sensitiveFiles: 100, anonymous: 3, unknown: 1 }, 'not_met threshold'],
    // One reported record in a hundred files, in 50 devices and in 20 agents.
    ['data.links.anonymous', { sensitiveFiles: 100, anonymous: 99, unknown: 99 }, 'not_evaluated unknown'],
    ['dev.compliant', { managed: 50, compliant: 1, unknown: 49 }, 'not_evaluated unknown'],
    ['dev.encrypted', { managed: 50, encrypted: 1, unknown: 49 }, 'not_evaluated unknown'],
    [
      'ai.agents.authentication_required',
      { agentsPublished: 20, authenticated: 1, unknown: 19 },
      'not_evaluated unknown',
    ],
    ['ai.agents.no_orphans', { agentsActive: 20, orphaned: 19, unknown: 19 }, 'not_evaluated unknown'],
    ['ai.agents.store_shelf', { shelfAgents: 9, unreviewed: 3, unknown: 3 }, 'at_risk unknown'],
    ['ai.agents.store_shelf', { shelfAgents: 9, unreviewed: 5, unknown: 5 }, 'not_evaluated unknown'],
    // A range is left upward: an unknown account may hold the role.
    ['iam.admins.global_count', { enabledMembers: 50, globalAdmins: 2, unknown: 2 }, 'met threshold'],
    ['iam.admins.global_count', { enabledMembers: 50, globalAdmins: 2, unknown: 3 }, 'at_risk unknown'],
    ['iam.admins.global_count', { enabledMembers: 50, globalAdmins: 0, unknown: 9 }, 'at_risk unknown'],
    ['iam.admins.global_count', { enabledMembers: 50, globalAdmins: 5, unknown: 4 }, 'not_met unknown'],
    ['iam.admins.global_count', { enabledMembers: 100, globalAdmins: 2, unknown: 98 }, 'not_evaluated unknown'],
    // Events that must not happen are no part of the population: one that is known decides, whatever is unknown.
    [
      'ai.data.no_ai_reads_of_restricted',
      { restrictionsNoAi: 1, aiReads: 3, aiIdentities: 0, unknown: 3 },
      'at_risk unknown',
    ],
    [
      'ai.data.no_ai_reads_of_restricted',
      { restrictionsNoAi: 1, aiReads: 6, aiIdentities: 1, unknown: 5 },
      'not_met threshold',
    ],
    ['iam.mfa.members', { members: 0, mfaRegistered: 0, unknown: 0 }, 'not_evaluated empty_population'],
    ['iam.mfa.members', { members: 10, mfaRegistered: 10, unknown: null }, 'not_evaluated source_missing'],
  ])('are taken as good and as bad: %s with %o is %s', (key, metrics, found) => {
    expect(outcome(key, metrics)).toBe(found);
  });
});
