import { useLabels } from '../../labels/language.tsx';
import { type Preset, presets, type Scope, scopeGroup } from './scope-presets.ts';

interface Props {
  readonly scopes: readonly Scope[];
  readonly chosen: readonly string[];
  readonly choose: (scopes: readonly string[]) => void;
}

const groups = ['feeds', 'evidence', 'entities'] as const;

/** Scopes in three groups, and sets of them by what the key is for. */
export function ScopePicker({ scopes, chosen, choose }: Props) {
  const { newKey, keys } = useLabels();
  const isSet = (preset: Preset) => {
    const presetScopes = scopes.filter(presets[preset]);
    return presetScopes.length === chosen.length && presetScopes.every((scope) => chosen.includes(scope));
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
                  .filter((scope) => scopeGroup(scope) === group)
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
