import { formatActor } from '../../format-actor.ts';
import { DateField } from '../../parts/date-field.tsx';
import type { AuditSearch } from './audit-search.ts';
import type { EventContext } from './event-context.ts';

interface Props {
  readonly search: AuditSearch;
  readonly from: string;
  readonly to: string;
  readonly isAdmin: boolean;
  readonly context: EventContext;
  readonly applyFilter: (next: AuditSearch) => void;
}

/** Actors that are no member. */
const kinds = ['cli', 'sign-in', 'set-up', 'ingest', 'jobs', 'database'] as const;

/** Time, actor, action and target. A time range is always set; each of the others can be removed. */
export function Filters({ search, from, to, isAdmin, context, applyFilter }: Props) {
  const { labels, members } = context;
  const { audit } = labels;
  const actors = new Map([
    ...members,
    ...kinds.map((kind): [string, string] => [kind, formatActor(labels, `${kind}:`)]),
  ]);
  const actions = Object.entries(audit.actions).filter(([action]) => action !== 'revoked');
  const chips: [keyof AuditSearch, string][] = [];
  if (search.actor)
    chips.push(['actor', `${audit.actor}: ${actors.get(search.actor) ?? formatActor(labels, search.actor)}`]);
  if (search.action)
    chips.push([
      'action',
      `${audit.action}: ${(audit.actions as Record<string, string>)[search.action] ?? search.action}`,
    ]);
  if (search.subject)
    chips.push([
      'subject',
      `${audit.target}: ${(audit.targets as Record<string, string>)[search.subject] ?? search.subject}`,
    ]);
  if (search.id) chips.push(['id', `${audit.targetId}: ${search.id.slice(0, 8)}…`]);
  return (
    <>
      <div className="row row-fields">
        <DateField label={audit.from} value={from} max={to} change={(day) => applyFilter({ from: day })} />
        <DateField label={audit.to} value={to} min={from} change={(day) => applyFilter({ to: day })} />
        {isAdmin && (
          <FilterSelect
            label={audit.actor}
            all={audit.everyone}
            value={search.actor}
            names={[...actors]}
            choose={(actor) => applyFilter({ actor })}
          />
        )}
        <FilterSelect
          label={audit.action}
          all={audit.allActions}
          value={search.action}
          names={actions}
          choose={(action) => applyFilter({ action })}
        />
        <FilterSelect
          label={audit.target}
          all={audit.allTargets}
          value={search.subject}
          names={Object.entries(audit.targets)}
          choose={(subject) => applyFilter({ subject, id: undefined } as unknown as AuditSearch)}
        />
      </div>
      {chips.length > 0 && (
        <div className="chips">
          {chips.map(([name, label]) => (
            <button
              key={name}
              type="button"
              aria-label={audit.removeFilter(label)}
              onClick={() =>
                applyFilter({
                  [name]: undefined,
                  ...(name === 'subject' ? { id: undefined } : {}),
                } as unknown as AuditSearch)
              }
            >
              {label} <span aria-hidden="true">×</span>
            </button>
          ))}
        </div>
      )}
    </>
  );
}

interface FilterSelectProps {
  readonly label: string;
  readonly all: string;
  readonly value: string | undefined;
  readonly names: readonly (readonly [string, string])[];
  readonly choose: (value: string) => void;
}

function FilterSelect({ label, all, value, names, choose }: FilterSelectProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value ?? ''} onChange={({ target }) => choose(target.value)}>
        <option value="">{all}</option>
        {value !== undefined && !names.some(([name]) => name === value) && <option value={value}>{value}</option>}
        {names.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
