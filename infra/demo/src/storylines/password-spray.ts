import type { Chance } from '../chance.ts';
import type { Company } from '../company.ts';
import { strangersMachine } from '../devices.ts';
import { lockedOut, loginFailed, mistyped } from '../records/directory.ts';
import { kinds, systemLog } from '../records/okta.ts';
import { alert } from '../records/threats.ts';
import type { Beat } from './storyline.ts';

/** Somebody tries one password on every account from a few addresses; nobody is let in, and two people are locked out. */
export function passwordSpray(company: Company, chance: Chance): readonly Beat[] {
  const addresses = ['203.0.113.17', '203.0.113.18', '203.0.113.240'];
  const tries = company.people.flatMap((by, index): Beat[] => {
    const from = { device: strangersMachine, address: chance.pick(addresses) };
    const isLocked = index % 8 === 3;
    return [
      { afterMinutes: index * 0.4, by, from, record: (scene) => loginFailed(scene, isLocked ? lockedOut : mistyped) },
      {
        afterMinutes: 9 + index * 0.4,
        by,
        from,
        format: 'okta.system-log',
        record: (scene) => systemLog(scene, isLocked ? kinds.accountLocked : kinds.sessionRefused),
      },
    ];
  });
  const [anybody] = company.people;
  if (!anybody) return tries;
  const raised = {
    name: 'Password spray',
    category: 'ThreatManagement',
    severity: 'Medium',
    operation: 'UserLoginFailed',
  } as const;
  return [
    ...tries,
    { afterMinutes: 31, by: anybody, record: (scene) => alert(scene, 'AlertTriggered', raised, anybody) },
  ];
}
