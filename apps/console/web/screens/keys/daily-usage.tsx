import { dayMs } from '@tenantscope/contract/durations';
import type { KeyDetail, UsageBucket } from '../../../api/keys.ts';
import { useDataTime } from '../../client/data-time.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { BarChart, fillBuckets } from '../../parts/bar-chart.tsx';

const count = 14;
const columns = [
  'requests',
  'refused',
  'overLimit',
  'refusedAfterEnd',
] as const satisfies readonly (keyof UsageBucket)[];

/** Two weeks of a key, as bars and as the same numbers. */
export function DailyUsage({ of: key }: { of: KeyDetail['key'] }) {
  const { labels, language } = useLanguage();
  const { keys: strings } = labels;
  const days = fillBuckets(key.days, count, dayMs, useDataTime());
  const bars = days.map(({ at, bucket }) => ({
    label: strings.dayUsage(at.slice(0, 10), bucket?.requests ?? 0),
    value: bucket?.requests ?? 0,
  }));
  return (
    <div className="stack-tight">
      <h3>{strings.last14Days}</h3>
      <BarChart bars={bars} label={strings.last14Days} width={22} />
      <details>
        <summary className="small">{strings.asTable}</summary>
        <table className="tight small members">
          <thead>
            <tr>
              <th scope="col">{strings.dayOf}</th>
              {columns.map((name) => (
                <th key={name} scope="col" className="number">
                  {strings.columns[name]}
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
