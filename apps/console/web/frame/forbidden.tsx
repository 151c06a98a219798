import { useQuery } from '@tanstack/react-query';
import { listRoleContacts, type RoleContact } from '../../api/current-session.ts';
import { escapeInvisible } from '../../api/escape-invisible.ts';
import type { Role } from '../../api/route.ts';
import { call } from '../client/api-client.ts';
import { useLabels } from '../labels/language.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';
import { ScreenHeader } from './screen-header.tsx';
import type { Screen } from './screens.ts';

/** A screen of other roles: the permitted roles, and whom to contact for access. */
export function Forbidden({ screen }: { screen: Screen }) {
  const { states, frame, screens, roles } = useLabels();
  const listed = useQuery({
    queryKey: ['role-contacts'],
    queryFn: ({ signal }) => call(listRoleContacts, {}, { signal }),
    staleTime: 60_000,
  });
  const listNames = (role: Role, contacts: readonly RoleContact[]) => [
    ...new Set(contacts.filter((one) => one.role === role).map(({ name }) => escapeInvisible(name))),
  ];
  return (
    <>
      <ScreenHeader title={screens[screen.name]} />
      <p className="sentence">{states.noAccess}.</p>
      <QueryResult query={listed}>
        {({ contacts }) => (
          <dl className="facts contacts">
            {screen.roles.map((role) => (
              <div key={role} className="fact">
                <dt>{roles[role]}</dt>
                <dd>{listNames(role, contacts).join(', ') || frame.noMembersWithRole}</dd>
              </div>
            ))}
          </dl>
        )}
      </QueryResult>
    </>
  );
}
