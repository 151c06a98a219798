import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeInvisible } from '../../api/escape-invisible.ts';
import { type ListedMember, listMembers } from '../../api/members.ts';
import { call } from '../client/api-client.ts';
import { useCurrentUser } from '../frame/current-user.ts';
import { ScreenHeader } from '../frame/screen-header.tsx';
import { useLabels } from '../labels/language.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';
import { Status } from '../parts/status.tsx';
import { Timestamp } from '../parts/time.tsx';
import { Credentials } from './members/credentials.tsx';
import { EditMember } from './members/edit-member.tsx';
import { Invitations } from './members/invitations.tsx';
import { Sessions } from './members/sessions.tsx';

const everyMs = 15_000;

/** Members of the organization, and the own sign-in methods and sessions. */
export function Members() {
  const { screens } = useLabels();
  const { member } = useCurrentUser();
  return (
    <>
      <ScreenHeader title={member.role === 'admin' ? screens.members : screens.account} />
      {member.role === 'admin' && <MemberTable />}
      {member.role === 'admin' && member.hasEveryTenant && <Invitations />}
      {member.source === 'local' && <Credentials />}
      <Sessions />
    </>
  );
}

function MemberTable() {
  const { members: strings, roles } = useLabels();
  const { member, tenants } = useCurrentUser();
  const [changedId, setChanged] = useState<string | null>(null);
  const listed = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => call(listMembers, {}, { signal }),
    refetchInterval: everyMs,
  });
  const nameOf = new Map(tenants.map(({ id, name }) => [id, name]));
  const factors: Readonly<Record<string, string>> = strings.factors;
  return (
    <QueryResult query={listed}>
      {(data) => (
        <div className="scroll">
          <table className="cards">
            <caption>{strings.table}</caption>
            <thead>
              <tr>
                <th scope="col">{strings.name}</th>
                <th scope="col">{strings.role}</th>
                <th scope="col">{strings.tenants}</th>
                <th scope="col">{strings.factor}</th>
                <th scope="col">{strings.lastSignIn}</th>
                <th scope="col">{strings.action}</th>
              </tr>
            </thead>
            <tbody>
              {data.members.map((one) => (
                <tr key={one.id}>
                  <th scope="row">
                    <strong>{escapeInvisible(one.name)}</strong>{' '}
                    {one.id === member.id && <span className="muted">({strings.you})</span>}
                    <br />
                    <span className="small muted">
                      {[escapeInvisible(one.email ?? ''), strings.sources[one.source]].filter(Boolean).join(' · ')}
                    </span>
                  </th>
                  <td data-name={strings.role}>
                    <span>
                      {roles[one.role]}
                      {one.disabledAt && (
                        <>
                          <br />
                          <Status level="unknown">{strings.disabled}</Status>
                        </>
                      )}
                    </span>
                  </td>
                  <td data-name={strings.tenants}>
                    {one.tenantIds === null
                      ? strings.every
                      : one.tenantIds.map((id) => nameOf.get(id) ?? id).join(', ') || '–'}
                  </td>
                  <td data-name={strings.factor}>
                    {one.credentials
                      .filter((kind) => kind !== 'password')
                      .map((kind) => factors[kind] ?? kind)
                      .join(', ') || '–'}
                  </td>
                  <td data-name={strings.lastSignIn}>
                    {one.lastSignedInAt === null ? strings.never : <Timestamp at={one.lastSignedInAt} isShort />}
                  </td>
                  <td data-name={strings.action}>
                    {member.hasEveryTenant ? (
                      <button
                        type="button"
                        aria-label={strings.editTitle(escapeInvisible(one.name))}
                        onClick={() => setChanged(one.id)}
                      >
                        {strings.edit}
                      </button>
                    ) : (
                      '–'
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {data.members
            .filter(({ id }) => id === changedId)
            .map((one) => (
              <EditMember
                key={one.id}
                of={one}
                isLastAdmin={isLastAdmin(one, data.members)}
                close={() => setChanged(null)}
              />
            ))}
        </div>
      )}
    </QueryResult>
  );
}

/** Of all tenants: others cannot change members. */
const isAdmin = ({ role, disabledAt, tenantIds }: ListedMember): boolean =>
  role === 'admin' && disabledAt === null && tenantIds === null;

const isLastAdmin = (member: ListedMember, all: readonly ListedMember[]): boolean =>
  isAdmin(member) && all.filter(isAdmin).length === 1;
