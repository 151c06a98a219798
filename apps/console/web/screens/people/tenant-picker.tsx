import { useState } from 'react';
import { useMe } from '../../shell.tsx';
import { useWords } from '../../words/words.tsx';
import { Choices } from '../keys/choices.tsx';

const searchedBeyond = 10;

interface Given {
  /** Null: every tenant. */
  readonly chosen: readonly string[] | null;
  readonly choose: (chosen: readonly string[] | null) => void;
}

/** Every tenant, those to come among them, or only these. */
export function TenantPicker({ chosen, choose }: Given) {
  const { people } = useWords();
  const { tenants } = useMe();
  const [wanted, setWanted] = useState('');
  const shown = tenants.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  return (
    <fieldset className="stack-tight">
      <legend>{people.tenants}</legend>
      <Choices
        names={['every', 'some'] as const}
        said={(one) => people[one]}
        chosen={chosen === null ? 'every' : 'some'}
        choose={(one) => choose(one === 'every' ? null : (chosen ?? tenants.map(({ id }) => id)))}
      />
      {chosen !== null && (
        <>
          {tenants.length > searchedBeyond && (
            <input
              type="search"
              aria-label={people.findTenant}
              placeholder={people.findTenant}
              value={wanted}
              onChange={({ target }) => setWanted(target.value)}
            />
          )}
          <div className="ticks">
            {shown.map(({ id, name }) => (
              <label key={id} className="tick">
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  onChange={({ target }) =>
                    choose(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
                  }
                />
                {name}
              </label>
            ))}
          </div>
          <p className="hint">{people.chosenTenants(chosen.length)}</p>
        </>
      )}
    </fieldset>
  );
}
