import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { type Invitation, listInvitations, revokeInvitation } from '../../../api/invitations.ts';
import { call } from '../../client/api-client.ts';
import { isSent } from '../../client/sent-change.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { dayAndTime } from '../../labels/format.ts';
import { useLabels, useLanguage } from '../../labels/language.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { QueryResult } from '../../parts/query/query-result.tsx';
import { InviteMember } from './invite-member.tsx';

const queryKey = ['invitations'];

/** Invitations of the organization: links that each create one account. */
export function Invitations() {
  const { members: strings } = useLabels();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const listed = useQuery({ queryKey, queryFn: ({ signal }) => call(listInvitations, {}, { signal }) });
  const refresh = () => client.invalidateQueries({ queryKey });
  const revoking = useMutation({ mutationFn: (id: string) => call(revokeInvitation, { id }), onSettled: refresh });
  return (
    <>
      <div>
        <button type="button" onClick={() => setOpen(true)}>
          {strings.invite}
        </button>
      </div>
      {isOpen && (
        <InviteMember
          close={() => {
            setOpen(false);
            void refresh();
          }}
        />
      )}
      <QueryResult query={listed}>
        {({ invitations }) =>
          invitations.length > 0 && (
            <InvitationTable invitations={invitations} revoke={(id) => isSent(revoking, id) || revoking.mutate(id)} />
          )
        }
      </QueryResult>
      {revoking.error && <ErrorMessage error={revoking.error} />}
    </>
  );
}

interface InvitationTableProps {
  readonly invitations: readonly Invitation[];
  readonly revoke: (id: string) => unknown;
}

function InvitationTable({ invitations, revoke }: InvitationTableProps) {
  const { labels, language } = useLanguage();
  const { members: strings, roles } = labels;
  const { tenants } = useCurrentUser();
  const nameOf = new Map(tenants.map(({ id, name }) => [id, name]));
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption>{strings.invitations}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.name}</th>
            <th scope="col">{strings.role}</th>
            <th scope="col">{strings.tenants}</th>
            <th scope="col">{strings.invitationState}</th>
            <th scope="col">{strings.expires}</th>
            <th scope="col">{strings.action}</th>
          </tr>
        </thead>
        <tbody>
          {invitations.map(({ id, name, role, tenantIds, state, expiresAt }) => (
            <tr key={id}>
              <th scope="row">{name === null ? null : escapeInvisible(name)}</th>
              <td data-name={strings.role}>{roles[role]}</td>
              <td data-name={strings.tenants}>
                {tenantIds === null ? strings.every : tenantIds.map((one) => nameOf.get(one) ?? one).join(', ')}
              </td>
              <td data-name={strings.invitationState}>{strings.invitationStates[state]}</td>
              <td data-name={strings.expires}>{dayAndTime(language, expiresAt)}</td>
              <td data-name={strings.action}>
                {state === 'valid' ? (
                  <button type="button" onClick={() => revoke(id)}>
                    {strings.revokeInvitation}
                  </button>
                ) : (
                  '–'
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
