import type { Letters } from '../../asked.ts';
import { Time } from '../../parts/time.tsx';
import { number, useLanguage } from '../../words/words.tsx';
import { reasonMeaning, reasonWords } from './reason-words.ts';

interface Given {
  readonly reasons: Letters['reasons'];
  readonly chosen: string | undefined;
  readonly choose: (reason: string | undefined) => void;
}

export function Reasons({ reasons, chosen, choose }: Given) {
  const { words, language } = useLanguage();
  const { letters } = words;
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption>{letters.reasons}</caption>
        <thead>
          <tr>
            <th scope="col">{letters.reason}</th>
            <th scope="col" className="number">
              {letters.count}
            </th>
            <th scope="col">{letters.first}</th>
            <th scope="col">{letters.last}</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(({ reason, count, firstAt, lastAt }) => (
            <tr key={reason} aria-current={reason === chosen ? 'true' : undefined}>
              <th scope="row">
                <span className="named">
                  <button type="button" className="plain" onClick={() => choose(reason)}>
                    {reasonWords(words, reason)}
                  </button>
                </span>
                <span className="small muted">{reasonMeaning(words, reason)}</span>
              </th>
              <td data-name={letters.count} className="number">
                {number(language, count)}
              </td>
              <td data-name={letters.first}>
                <Time at={firstAt} />
              </td>
              <td data-name={letters.last}>
                <Time at={lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {chosen && (
        <button type="button" className="plain" onClick={() => choose(undefined)}>
          {letters.every}
        </button>
      )}
    </div>
  );
}
