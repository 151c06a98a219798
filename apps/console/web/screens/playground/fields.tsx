import type { AskedOperation, AskedParameter } from '../../asked.ts';
import { useWords } from '../../words/words.tsx';
import type { Read } from './page.ts';

interface Given {
  readonly operation: AskedOperation;
  readonly values: Readonly<Record<string, string>>;
  readonly refused: Read['details'];
  readonly change: (values: Readonly<Record<string, string>>) => void;
}

const hourMs = 3_600_000;
const windows = { hour: hourMs, day: 24 * hourMs, week: 168 * hourMs } as const;

/** A field for each parameter, by its kind. */
export function Fields({ operation, values, refused, change }: Given) {
  const { playground } = useWords();
  const [from, to] = ['from', 'to'].map((end) =>
    operation.parameters.find(({ name, kind }) => kind === 'instant' && name.toLowerCase().endsWith(end)),
  );
  const stretch = (ms: number | null) => {
    const changed: Record<string, string> = { ...values };
    if (from) changed[from.name] = ms === null ? '' : new Date(Date.now() - ms).toISOString();
    if (to) changed[to.name] = '';
    change(changed);
  };
  return (
    <div className="parameters">
      {from && (
        <div className="stack-tight">
          <span className="label">{playground.window}</span>
          <div className="chips">
            {Object.entries(windows).map(([name, ms]) => (
              <button key={name} type="button" onClick={() => stretch(ms)}>
                {playground.windows[name as keyof typeof windows]}
              </button>
            ))}
            <button type="button" onClick={() => stretch(null)}>
              {playground.windows.none}
            </button>
          </div>
        </div>
      )}
      {inOrder(operation.parameters).map((parameter) => (
        <Field
          key={parameter.name}
          of={parameter}
          value={values[parameter.name] ?? ''}
          refused={refused.find(({ parameter: name }) => name === parameter.name)?.reason ?? null}
          change={(value) => change({ ...values, [parameter.name]: value })}
        />
      ))}
    </div>
  );
}

const singles: ReadonlySet<string> = new Set(['flag', 'sort', 'choice']);

/** Times stand beside the stretches that fill them in. */
const inOrder = (parameters: readonly AskedParameter[]): readonly AskedParameter[] => [
  ...parameters.filter(({ kind }) => kind === 'instant'),
  ...parameters.filter(({ kind }) => kind !== 'instant'),
];

interface FieldGiven {
  readonly of: AskedParameter;
  readonly value: string;
  readonly refused: string | null;
  readonly change: (value: string) => void;
}

function Field({ of: { name, kind, words, allowed, example }, value, refused, change }: FieldGiven) {
  const { playground } = useWords();
  const id = `parameter-${name}`;
  const offered = allowed ?? (kind === 'flag' ? ['true', 'false'] : []);
  const chosen = value.split(',').filter(Boolean);
  const toggle = (one: string) => {
    const rest = chosen.filter((other) => other !== one);
    const isMany = kind === 'choices' || kind === 'texts';
    if (rest.length < chosen.length) change(rest.join(','));
    else change(isMany ? [...chosen, one].join(',') : one);
  };
  const chips = offered.length > 0 && (
    <div className="chips">
      {offered.map((one) => (
        <button key={one} type="button" aria-pressed={chosen.includes(one)} onClick={() => toggle(one)}>
          {one}
        </button>
      ))}
    </div>
  );
  const after = (
    <>
      {refused !== null && <p className="wrong">■ {refused}</p>}
      <p id={`${id}-words`} className="hint hint-quiet">
        {words}
      </p>
    </>
  );
  // One of few: nothing needs to be typed, unless a link brought what is none of them.
  if (singles.has(kind) && (value === '' || offered.includes(value)))
    return (
      <fieldset className="field" aria-describedby={`${id}-words`}>
        <legend>{name}</legend>
        {chips}
        {after}
      </fieldset>
    );
  return (
    <div className="field">
      <label htmlFor={id} className="mono">
        {name}
      </label>
      <input
        id={id}
        className="mono"
        value={value}
        placeholder={offered.length > 0 ? '' : playground.example(example)}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-words`}
        aria-invalid={refused !== null}
        onChange={(event) => change(event.target.value)}
      />
      {chips}
      {after}
    </div>
  );
}
