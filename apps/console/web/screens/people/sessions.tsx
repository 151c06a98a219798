import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, change } from '../../ask.ts';
import type { OwnSession } from '../../asked.ts';
import { Asked } from '../../parts/asked.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Time } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { Agent } from './agent.tsx';

/** Where one is signed in; each can be ended from here. */
export function Sessions() {
  const { people } = useWords();
  const client = useQueryClient();
  const listed = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => ask<{ sessions: OwnSession[] }>('/sessions', signal),
  });
  const ending = useMutation({
    mutationFn: (id: string) => change(`/sessions/${id}/end`),
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <Asked query={listed}>
      {({ sessions }) => (
        <div id="sessions" className="scroll">
          <table className="cards tight">
            <caption>{people.sessions}</caption>
            <thead>
              <tr>
                <th scope="col">{people.since}</th>
                <th scope="col">{people.seen}</th>
                <th scope="col">{people.address}</th>
                <th scope="col">{people.agent}</th>
                <th scope="col">{people.act}</th>
              </tr>
            </thead>
            <tbody>
              {sessions.map(({ id, createdAt, seenAt, address, agent, isThis }) => (
                <tr key={id}>
                  <td data-name={people.since}>
                    <Time at={createdAt} />
                  </td>
                  <td data-name={people.seen}>
                    <Time at={seenAt} isShort />
                  </td>
                  <td data-name={people.address} className="time">
                    <code>{address ?? '–'}</code>
                  </td>
                  <td data-name={people.agent} className="muted">
                    <Agent of={agent} />
                  </td>
                  <td data-name={people.act}>
                    {isThis ? (
                      <span className="muted">{people.thisOne}</span>
                    ) : (
                      <button type="button" onClick={() => ending.mutate(id)}>
                        {people.end}
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {ending.error && <Failure error={ending.error} />}
        </div>
      )}
    </Asked>
  );
}
