import type { DeadLetters } from '../../../api/dead-letters.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { reasonHelp, reasonLabel } from './reason-labels.ts';

interface Props {
  readonly reasons: DeadLetters['reasons'];
  readonly selected: string | undefined;
  readonly select: (reason: string | undefined) => void;
}

export function ReasonTable({ reasons, selected, select }: Props) {
  const { labels, language } = useLanguage();
  const { deadLetters } = labels;
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption>{deadLetters.reasons}</caption>
        <thead>
          <tr>
            <th scope="col">{deadLetters.reason}</th>
            <th scope="col" className="number">
              {deadLetters.count}
            </th>
            <th scope="col">{deadLetters.first}</th>
            <th scope="col">{deadLetters.last}</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(({ reason, count, firstAt, lastAt }) => (
            <tr key={reason} aria-current={reason === selected ? 'true' : undefined}>
              <th scope="row">
                <span className="named">
                  <button type="button" className="plain" onClick={() => select(reason)}>
                    {reasonLabel(labels, reason)}
                  </button>
                </span>
                <span className="small muted">{reasonHelp(labels, reason)}</span>
              </th>
              <td data-name={deadLetters.count} className="number">
                {number(language, count)}
              </td>
              <td data-name={deadLetters.first}>
                <Timestamp at={firstAt} />
              </td>
              <td data-name={deadLetters.last}>
                <Timestamp at={lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {selected && (
        <button type="button" className="plain" onClick={() => select(undefined)}>
          {deadLetters.allReasons}
        </button>
      )}
    </div>
  );
}
