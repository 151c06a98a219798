import { actorName } from '../../actor-name.ts';
import { DateField } from '../../parts/date-field.tsx';
import type { AuditSearch } from '../../router.tsx';
import type { Telling } from './sentence.ts';

interface Given {
  readonly search: AuditSearch;
  readonly from: string;
  readonly to: string;
  readonly isAdmin: boolean;
  readonly telling: Telling;
  readonly look: (next: AuditSearch) => void;
}

/** Ways of acting that are nobody's by name. */
const kinds = ['cli', 'sign-in', 'set-up', 'database'] as const;

/** When, who, what, with what: a time is always set, and each of the others can be taken off again. */
export function Filters({ search, from, to, isAdmin, telling, look }: Given) {
  const { words, people } = telling;
  const { audit } = words;
  const actors = new Map([...people, ...kinds.map((kind): [string, string] => [kind, actorName(words, `${kind}:`)])]);
  const acts = Object.entries(audit.acts).filter(([act]) => act !== 'revoked');
  const chips: [keyof AuditSearch, string][] = [];
  if (search.actor)
    chips.push(['actor', `${audit.who}: ${actors.get(search.actor) ?? actorName(words, search.actor)}`]);
  if (search.act)
    chips.push(['act', `${audit.act}: ${(audit.acts as Record<string, string>)[search.act] ?? search.act}`]);
  if (search.subject)
    chips.push([
      'subject',
      `${audit.subject}: ${(audit.subjects as Record<string, string>)[search.subject] ?? search.subject}`,
    ]);
  if (search.id) chips.push(['id', `${audit.one}: ${search.id.slice(0, 8)}…`]);
  return (
    <>
      <div className="row row-fields">
        <DateField label={audit.since} value={from} max={to} change={(day) => look({ from: day })} />
        <DateField label={audit.until} value={to} min={from} change={(day) => look({ to: day })} />
        {isAdmin && (
          <Choice
            label={audit.who}
            all={audit.everyone}
            value={search.actor}
            names={[...actors]}
            choose={(actor) => look({ actor })}
          />
        )}
        <Choice
          label={audit.act}
          all={audit.everyAct}
          value={search.act}
          names={acts}
          choose={(act) => look({ act })}
        />
        <Choice
          label={audit.subject}
          all={audit.everySubject}
          value={search.subject}
          names={Object.entries(audit.subjects)}
          choose={(subject) => look({ subject, id: undefined } as unknown as AuditSearch)}
        />
      </div>
      {chips.length > 0 && (
        <div className="chips">
          {chips.map(([name, said]) => (
            <button
              key={name}
              type="button"
              aria-label={audit.without(said)}
              onClick={() =>
                look({ [name]: undefined, ...(name === 'subject' ? { id: undefined } : {}) } as unknown as AuditSearch)
              }
            >
              {said} <span aria-hidden="true">×</span>
            </button>
          ))}
        </div>
      )}
    </>
  );
}

interface ChoiceGiven {
  readonly label: string;
  readonly all: string;
  readonly value: string | undefined;
  readonly names: readonly (readonly [string, string])[];
  readonly choose: (value: string) => void;
}

function Choice({ label, all, value, names, choose }: ChoiceGiven) {
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value ?? ''} onChange={({ target }) => choose(target.value)}>
        <option value="">{all}</option>
        {value !== undefined && !names.some(([name]) => name === value) && <option value={value}>{value}</option>}
        {names.map(([name, said]) => (
          <option key={name} value={name}>
            {said}
          </option>
        ))}
      </select>
    </label>
  );
}
