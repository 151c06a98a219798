import { useState } from 'react';
import { useCurrentUser } from '../../frame/current-user.ts';
import { useLabels } from '../../labels/language.tsx';
import { SegmentedControl } from '../../parts/segmented-control.tsx';

const searchedBeyond = 10;

interface Props {
  /** Null: every tenant. */
  readonly chosen: readonly string[] | null;
  readonly choose: (chosen: readonly string[] | null) => void;
}

/** Every tenant, those to come among them, or only these. */
export function TenantPicker({ chosen, choose }: Props) {
  const { members: strings } = useLabels();
  const { tenants } = useCurrentUser();
  const [filter, setFilter] = useState('');
  const shown = tenants.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <fieldset className="stack-tight">
      <legend>{strings.tenants}</legend>
      <SegmentedControl
        names={['every', 'some'] as const}
        label={(one) => strings[one]}
        chosen={chosen === null ? 'every' : 'some'}
        choose={(one) => choose(one === 'every' ? null : (chosen ?? tenants.map(({ id }) => id)))}
      />
      {chosen !== null && (
        <>
          {tenants.length > searchedBeyond && (
            <input
              type="search"
              aria-label={strings.findTenant}
              placeholder={strings.findTenant}
              value={filter}
              onChange={({ target }) => setFilter(target.value)}
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
          <p className="hint">{strings.chosenTenants(chosen.length)}</p>
        </>
      )}
    </fieldset>
  );
}
