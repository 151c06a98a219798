import { useWords } from '../../words/words.tsx';
import { groupOf, type Preset, presets } from './scope-sets.ts';

interface Given {
  readonly scopes: readonly string[];
  readonly chosen: readonly string[];
  readonly choose: (scopes: readonly string[]) => void;
}

const groups = ['feeds', 'evidence', 'entities'] as const;

/** Scopes in three groups, and sets of them by what the key is for. */
export function ScopePicker({ scopes, chosen, choose }: Given) {
  const { newKey, keys } = useWords();
  const isSet = (preset: Preset) => {
    const wanted = scopes.filter(presets[preset]);
    return wanted.length === chosen.length && wanted.every((scope) => chosen.includes(scope));
  };
  const names: Readonly<Record<Preset, string>> = { ...newKey.presets, all: newKey.all };
  return (
    <fieldset className="stack">
      <legend>{newKey.scopes}</legend>
      <div className="chips">
        {(Object.keys(presets) as Preset[]).map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={isSet(preset)}
            onClick={() => choose(scopes.filter(presets[preset]))}
          >
            {names[preset]}
          </button>
        ))}
      </div>
      <details>
        <summary>{keys.scopes(chosen.length)}</summary>
        <div className="stack">
          {groups.map((group) => (
            <fieldset key={group}>
              <legend>{newKey.groups[group]}</legend>
              <div className="scopes">
                {scopes
                  .filter((scope) => groupOf(scope) === group)
                  .map((scope) => (
                    <label key={scope} className="tick">
                      <input
                        type="checkbox"
                        checked={chosen.includes(scope)}
                        onChange={({ target }) =>
                          choose(scopes.filter((one) => (one === scope ? target.checked : chosen.includes(one))))
                        }
                      />
                      <span className="mono">{scope.replace(/:read$/, '')}</span>
                    </label>
                  ))}
              </div>
            </fieldset>
          ))}
        </div>
      </details>
    </fieldset>
  );
}
