import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../ask.ts';
import type { ListedPerson } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { Head, useMe } from '../shell.tsx';
import { useWords } from '../words/words.tsx';
import { ChangePerson } from './people/change-person.tsx';
import { Proofs } from './people/proofs.tsx';
import { Sessions } from './people/sessions.tsx';

const everyMs = 15_000;

/** Who may do what here, and from where? */
export function People() {
  const { screens } = useWords();
  const { person } = useMe();
  return (
    <>
      <Head title={screens.people} />
      {person.role === 'admin' && <Everybody />}
      {person.source === 'local' && <Proofs />}
      <Sessions />
    </>
  );
}

function Everybody() {
  const { people, roles } = useWords();
  const { person, tenants } = useMe();
  const [changedId, setChanged] = useState<string | null>(null);
  const listed = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => ask<{ people: ListedPerson[] }>('/people', signal),
    refetchInterval: everyMs,
  });
  const nameOf = new Map(tenants.map(({ id, name }) => [id, name]));
  const factors: Readonly<Record<string, string>> = people.factors;
  return (
    <Asked query={listed}>
      {(answer) => (
        <div className="scroll">
          <table className="cards">
            <caption>{people.table}</caption>
            <thead>
              <tr>
                <th scope="col">{people.name}</th>
                <th scope="col">{people.role}</th>
                <th scope="col">{people.tenants}</th>
                <th scope="col">{people.factor}</th>
                <th scope="col">{people.lastSignIn}</th>
                <th scope="col">{people.act}</th>
              </tr>
            </thead>
            <tbody>
              {answer.people.map((one) => (
                <tr key={one.id}>
                  <th scope="row">
                    <strong>{one.name}</strong> {one.id === person.id && <span className="muted">({people.you})</span>}
                    <br />
                    <span className="small muted">
                      {[one.email, people.sources[one.source]].filter(Boolean).join(' · ')}
                    </span>
                  </th>
                  <td data-name={people.role}>
                    <span>
                      {roles[one.role]}
                      {one.disabledAt && (
                        <>
                          <br />
                          <Status standing="unknown">{people.closed}</Status>
                        </>
                      )}
                    </span>
                  </td>
                  <td data-name={people.tenants}>
                    {one.tenantIds === null
                      ? people.every
                      : one.tenantIds.map((id) => nameOf.get(id) ?? id).join(', ') || '–'}
                  </td>
                  <td data-name={people.factor}>
                    {one.credentials
                      .filter((kind) => kind !== 'password')
                      .map((kind) => factors[kind] ?? kind)
                      .join(', ') || '–'}
                  </td>
                  <td data-name={people.lastSignIn}>
                    {one.lastSignedInAt === null ? people.never : <Time at={one.lastSignedInAt} isShort />}
                  </td>
                  <td data-name={people.act}>
                    <button type="button" aria-label={people.changeTitle(one.name)} onClick={() => setChanged(one.id)}>
                      {people.change}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {answer.people
            .filter(({ id }) => id === changedId)
            .map((one) => (
              <ChangePerson
                key={one.id}
                of={one}
                isLastAdmin={isLastAdmin(one, answer.people)}
                close={() => setChanged(null)}
              />
            ))}
        </div>
      )}
    </Asked>
  );
}

const isAdmin = ({ role, disabledAt }: ListedPerson): boolean => role === 'admin' && disabledAt === null;

const isLastAdmin = (person: ListedPerson, all: readonly ListedPerson[]): boolean =>
  isAdmin(person) && all.filter(isAdmin).length === 1;
