import type { DeadLetter } from '../../../api/dead-letters.ts';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { useLabels } from '../../labels/language.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { reasonLabel } from './reason-labels.ts';

interface Props {
  readonly deadLetters: readonly DeadLetter[];
  readonly selected: ReadonlySet<string>;
  readonly select: (ids: ReadonlySet<string>) => void;
  readonly open: string | undefined;
  readonly show: (id: string) => void;
}

export function DeadLetterTable({ deadLetters, selected, select, open, show }: Props) {
  const labels = useLabels();
  const { deadLetters: strings } = labels;
  const { tenants } = useCurrentUser();
  const nameOf = new Map(tenants.map(({ id, name }) => [id, name]));
  const isAll = deadLetters.length > 0 && deadLetters.every(({ id }) => selected.has(id));
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    select(next);
  };
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption>{strings.table}</caption>
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                aria-label={strings.selectAll}
                checked={isAll}
                onChange={() => select(new Set(isAll ? [] : deadLetters.map(({ id }) => id)))}
              />
            </th>
            <th scope="col">{strings.reason}</th>
            <th scope="col">{strings.source}</th>
            <th scope="col">{strings.tenant}</th>
            <th scope="col">{strings.deadLetteredAt}</th>
            <th scope="col" className="number">
              {strings.replaysLeft}
            </th>
          </tr>
        </thead>
        <tbody>
          {deadLetters.map(
            ({ id, reason, detail, topic, partition, offset, element, tenantId, deadLetteredAt, replaysLeft }) => (
              <tr key={id} aria-current={id === open ? 'true' : undefined}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={strings.select(`${topic}/${partition}@${offset}`)}
                    checked={selected.has(id)}
                    onChange={() => toggle(id)}
                  />
                </td>
                <th scope="row">
                  <span className="named">
                    <button type="button" className="plain" onClick={() => show(id)}>
                      {reasonLabel(labels, reason)}
                    </button>
                  </span>
                  <span className="small muted" lang="en">
                    {escapeInvisible(detail)}
                  </span>
                </th>
                <td data-name={strings.source}>
                  <code>
                    {topic}/{partition}@{offset}
                    {element > 0 && `#${element}`}
                  </code>
                </td>
                <td data-name={strings.tenant}>{tenantId === null ? '–' : (nameOf.get(tenantId) ?? tenantId)}</td>
                <td data-name={strings.deadLetteredAt}>
                  <Timestamp at={deadLetteredAt} isShort />
                </td>
                <td data-name={strings.replaysLeft} className="number">
                  {replaysLeft}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
