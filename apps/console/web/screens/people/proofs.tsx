import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, change } from '../../ask.ts';
import type { Proof, WaysIn } from '../../asked.ts';
import { Asked } from '../../parts/asked.tsx';
import { ProofFailure } from '../../parts/proof-failure.tsx';
import { Time } from '../../parts/time.tsx';
import { knowsPasskeys, makePasskey } from '../../passkey.ts';
import { useWords } from '../../words/words.tsx';

/** By what a person of a local account proves itself. */
export function Proofs() {
  const { people } = useWords();
  const client = useQueryClient();
  const factors: Readonly<Record<string, string>> = people.factors;
  const listed = useQuery({
    queryKey: ['proofs'],
    queryFn: ({ signal }) => ask<{ credentials: Proof[] }>('/credentials', signal),
  });
  const ways = useQuery({ queryKey: ['passkeys-possible'], queryFn: ({ signal }) => ask<WaysIn>('/sign-in', signal) });
  const onSuccess = () => client.invalidateQueries({ queryKey: ['proofs'] });
  const removing = useMutation({ mutationFn: (id: string) => change(`/credentials/${id}/remove`), onSuccess });
  const [name, setName] = useState('');
  const adding = useMutation({
    mutationFn: async () =>
      change('/credentials/passkey', { name, response: await makePasskey('/credentials/passkey/options') }),
    onSuccess: () => {
      setName('');
      // What could not be removed before may be removed now.
      removing.reset();
      return onSuccess();
    },
  });
  return (
    <Asked query={listed}>
      {({ credentials }) => (
        <div className="stack">
          {credentials.length > 0 && (
            <div className="scroll">
              <table className="cards tight">
                <caption>{people.proofs}</caption>
                <thead>
                  <tr>
                    <th scope="col">{people.proof}</th>
                    <th scope="col">{people.since}</th>
                    <th scope="col">{people.used}</th>
                    <th scope="col">{people.act}</th>
                  </tr>
                </thead>
                <tbody>
                  {credentials
                    .filter(({ kind }) => kind !== 'recovery')
                    .map((proof) => (
                      <tr key={proof.id}>
                        <th scope="row">
                          {factors[proof.kind] ?? proof.kind} <span className="muted">{proof.name}</span>
                        </th>
                        <td data-name={people.since}>
                          <Time at={proof.createdAt} />
                        </td>
                        <td data-name={people.used}>
                          {proof.usedAt === null ? '–' : <Time at={proof.usedAt} isShort />}
                        </td>
                        <td data-name={people.act}>
                          {proof.kind === 'password' ? (
                            '–'
                          ) : (
                            <button type="button" onClick={() => removing.mutate(proof.id)}>
                              {people.remove}
                            </button>
                          )}
                        </td>
                      </tr>
                    ))}
                </tbody>
              </table>
            </div>
          )}
          <p className="muted">{people.codesLeft(credentials.filter(({ kind }) => kind === 'recovery').length)}</p>
          {removing.error && (
            <ProofFailure
              error={removing.error}
              again={() => removing.variables !== undefined && removing.mutate(removing.variables)}
            />
          )}
          {ways.data?.passkey && knowsPasskeys && (
            <form
              className="row"
              onSubmit={(event) => {
                event.preventDefault();
                adding.mutate();
              }}
            >
              <span>
                <input
                  aria-label={people.passkeyName}
                  placeholder={people.passkeyName}
                  value={name}
                  maxLength={100}
                  onChange={(event) => setName(event.target.value)}
                  required
                />
              </span>
              <button type="submit" disabled={adding.isPending}>
                {people.addPasskey}
              </button>
            </form>
          )}
          {adding.error && <ProofFailure error={adding.error} again={() => adding.mutate()} />}
        </div>
      )}
    </Asked>
  );
}
