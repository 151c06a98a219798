import { useState } from 'react';
import { useCurrentUser } from '../../frame/current-user.ts';
import { useLabels } from '../../labels/language.tsx';
import { SegmentedControl } from '../../parts/segmented-control.tsx';

const searchedBeyond = 10;
/** More are found by their names: thousands of fields take seconds to render. */
const maxShown = 100;

interface Props {
  /** Null: every tenant. */
  readonly chosen: readonly string[] | null;
  readonly choose: (chosen: readonly string[] | null) => void;
}

/** Every tenant, those to come among them, or only these. */
export function TenantPicker({ chosen, choose }: Props) {
  const { members: strings, frame } = useLabels();
  const { tenants } = useCurrentUser();
  const [filter, setFilter] = useState('');
  const [before] = useState(() => new Set(chosen));
  const found = tenants
    .filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()))
    .toSorted((one, other) =>
      tenants.length > maxShown ? Number(before.has(other.id)) - Number(before.has(one.id)) : 0,
    );
  // Of few tenants some are left out, of many some are selected.
  const initial = tenants.length > searchedBeyond ? [] : tenants.map(({ id }) => id);
  const shown = found.slice(0, maxShown);
  const chosenIds = new Set(chosen);
  return (
    <fieldset className="stack-tight">
      <legend>{strings.tenants}</legend>
      <SegmentedControl
        names={['every', 'some'] as const}
        label={(one) => strings[one]}
        chosen={chosen === null ? 'every' : 'some'}
        choose={(one) => choose(one === 'every' ? null : (chosen ?? initial))}
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
                  checked={chosenIds.has(id)}
                  onChange={({ target }) =>
                    choose(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
                  }
                />
                {name}
              </label>
            ))}
          </div>
          {found.length > shown.length && <p className="hint">{frame.moreTenants(found.length - shown.length)}</p>}
          {/* A tenant that has left may still be in the list of a member. */}
          <p className="hint" role="status">
            {chosen.length === 0
              ? strings.chooseTenant
              : strings.chosenTenants(tenants.filter(({ id }) => chosenIds.has(id)).length)}
          </p>
        </>
      )}
    </fieldset>
  );
}
