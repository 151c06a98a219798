import type { KeyDetail, UseBucket } from '../../asked.ts';
import { useOfMs } from '../../of.ts';
import { Bars, filled } from '../../parts/bars.tsx';
import { number, useLanguage } from '../../words/words.tsx';

const dayMs = 86_400_000;
const count = 14;
const columns = ['requests', 'refused', 'overLimit', 'refusedAfterEnd'] as const satisfies readonly (keyof UseBucket)[];

/** Two weeks of a key, as bars and as the same numbers. */
export function Days({ of: key }: { of: KeyDetail['key'] }) {
  const { words, language } = useLanguage();
  const { keys: said } = words;
  const days = filled(key.days, count, dayMs, useOfMs());
  const bars = days.map(({ at, bucket }) => ({
    label: said.day(at.slice(0, 10), number(language, bucket?.requests ?? 0)),
    value: bucket?.requests ?? 0,
  }));
  return (
    <div className="stack-tight">
      <h3>{said.days}</h3>
      <Bars bars={bars} words={said.days} width={22} />
      <details>
        <summary className="small">{said.asTable}</summary>
        <table className="tight small members">
          <thead>
            <tr>
              <th scope="col">{said.dayOf}</th>
              {columns.map((name) => (
                <th key={name} scope="col" className="number">
                  {said.columns[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ at, bucket }) => (
              <tr key={at}>
                <th scope="row" className="time">
                  {at.slice(0, 10)}
                </th>
                {columns.map((name) => (
                  <td key={name} className="number">
                    {number(language, bucket?.[name] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}
