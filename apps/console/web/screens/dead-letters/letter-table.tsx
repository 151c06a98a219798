import type { Letter } from '../../asked.ts';
import { Time } from '../../parts/time.tsx';
import { useMe } from '../../shell.tsx';
import { useWords } from '../../words/words.tsx';
import { visible } from '../playground/visible.ts';
import { reasonWords } from './reason-words.ts';

interface Given {
  readonly letters: readonly Letter[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: (ids: ReadonlySet<string>) => void;
  readonly open: string | undefined;
  readonly show: (id: string) => void;
}

export function LetterTable({ letters, chosen, choose, open, show }: Given) {
  const words = useWords();
  const { letters: said } = words;
  const { tenants } = useMe();
  const nameOf = new Map(tenants.map(({ id, name }) => [id, name]));
  const isAll = letters.length > 0 && letters.every(({ id }) => chosen.has(id));
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption>{said.letters}</caption>
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                aria-label={said.chooseAll}
                checked={isAll}
                onChange={() => choose(new Set(isAll ? [] : letters.map(({ id }) => id)))}
              />
            </th>
            <th scope="col">{said.reason}</th>
            <th scope="col">{said.where}</th>
            <th scope="col">{said.tenant}</th>
            <th scope="col">{said.since}</th>
            <th scope="col" className="number">
              {said.left}
            </th>
          </tr>
        </thead>
        <tbody>
          {letters.map(
            ({ id, reason, detail, topic, partition, offset, element, tenantId, setAsideAt, replaysLeft }) => (
              <tr key={id} aria-current={id === open ? 'true' : undefined}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={said.choose(`${topic}/${partition}@${offset}`)}
                    checked={chosen.has(id)}
                    onChange={() => toggle(id)}
                  />
                </td>
                <th scope="row">
                  <span className="named">
                    <button type="button" className="plain" onClick={() => show(id)}>
                      {reasonWords(words, reason)}
                    </button>
                  </span>
                  <span className="small muted">{visible(detail)}</span>
                </th>
                <td data-name={said.where}>
                  <code>
                    {topic}/{partition}@{offset}
                    {element > 0 && `#${element}`}
                  </code>
                </td>
                <td data-name={said.tenant}>{tenantId === null ? '–' : (nameOf.get(tenantId) ?? tenantId)}</td>
                <td data-name={said.since}>
                  <Time at={setAsideAt} isShort />
                </td>
                <td data-name={said.left} className="number">
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
