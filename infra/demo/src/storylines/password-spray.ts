import type { Company } from '../company.ts';
import { intruderDevice } from '../devices.ts';
import type { Random } from '../random.ts';
import { lockedOut, loginFailed, mistyped } from '../records/directory.ts';
import { kinds, systemLog } from '../records/okta.ts';
import { alert } from '../records/threats.ts';
import type { StorylineEvent } from './storyline-event.ts';

/** An attacker tries one password on every account from a few addresses; no attempt succeeds, and two users are locked out. */
export function createPasswordSpray(company: Company, random: Random): readonly StorylineEvent[] {
  const addresses = ['203.0.113.17', '203.0.113.18', '203.0.113.240'];
  const attempts = company.employees.flatMap((by, index): StorylineEvent[] => {
    const from = { device: intruderDevice, address: random.pick(addresses) };
    const isLocked = index % 8 === 3;
    return [
      {
        offsetMinutes: index * 0.4,
        by,
        from,
        record: (context) => loginFailed(context, isLocked ? lockedOut : mistyped),
      },
      {
        offsetMinutes: 9 + index * 0.4,
        by,
        from,
        format: 'okta.system-log',
        record: (context) => systemLog(context, isLocked ? kinds.accountLocked : kinds.sessionRefused),
      },
    ];
  });
  const [target] = company.employees;
  if (!target) return attempts;
  const raised = {
    name: 'Password spray',
    category: 'ThreatManagement',
    severity: 'Medium',
    operation: 'UserLoginFailed',
  } as const;
  return [
    ...attempts,
    { offsetMinutes: 31, by: target, record: (context) => alert(context, 'AlertTriggered', raised, target) },
  ];
}
