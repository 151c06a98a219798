import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { endSession, listSessions } from '../../../api/current-session.ts';
import { call } from '../../client/api-client.ts';
import { isSent } from '../../client/sent-change.ts';
import { useLabels } from '../../labels/language.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { QueryResult } from '../../parts/query/query-result.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { UserAgent } from './user-agent.tsx';

/** The own sessions; each can be ended here. */
export function Sessions() {
  const { members: strings } = useLabels();
  const client = useQueryClient();
  const listed = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call(listSessions, {}, { signal }),
  });
  const ending = useMutation({
    mutationFn: (id: string) => call(endSession, { id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <QueryResult query={listed}>
      {({ sessions }) => (
        <div id="sessions" className="scroll">
          <table className="cards tight">
            <caption>{strings.sessions}</caption>
            <thead>
              <tr>
                <th scope="col">{strings.since}</th>
                <th scope="col">{strings.seen}</th>
                <th scope="col">{strings.address}</th>
                <th scope="col">{strings.agent}</th>
                <th scope="col">{strings.action}</th>
              </tr>
            </thead>
            <tbody>
              {sessions.map(({ id, createdAt, seenAt, address, agent, isThis }) => (
                <tr key={id}>
                  <td data-name={strings.since}>
                    <Timestamp at={createdAt} />
                  </td>
                  <td data-name={strings.seen}>
                    <Timestamp at={seenAt} isShort />
                  </td>
                  <td data-name={strings.address} className="time">
                    <code>{address ?? '–'}</code>
                  </td>
                  <td data-name={strings.agent} className="muted">
                    <UserAgent of={agent} />
                  </td>
                  <td data-name={strings.action}>
                    {isThis ? (
                      <span className="muted">{strings.thisSession}</span>
                    ) : (
                      <button type="button" onClick={() => isSent(ending, id) || ending.mutate(id)}>
                        {strings.endSession}
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {ending.error && <ErrorMessage error={ending.error} />}
        </div>
      )}
    </QueryResult>
  );
}
