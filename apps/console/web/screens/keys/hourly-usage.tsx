import { hourMs } from '@tenantscope/contract/durations';
import type { KeyDetail } from '../../../api/keys.ts';
import { useDataTime } from '../../client/data-time.ts';
import { useLanguage } from '../../labels/language.tsx';
import { BarChart, fillBuckets } from '../../parts/bar-chart.tsx';

interface Props {
  readonly of: KeyDetail['key'];
  readonly label: string;
  readonly scale?: number;
}

/** Two days of a key, hour by hour. */
export function HourlyUsage({ of: { hours }, label, scale = 1 }: Props) {
  const { labels: all } = useLanguage();
  const bars = fillBuckets(hours, 48, hourMs, useDataTime()).map(({ at, bucket }) => ({
    label: all.keys.dayUsage(`${at.slice(0, 10)} ${at.slice(11, 16)}`, bucket?.requests ?? 0),
    value: bucket?.requests ?? 0,
  }));
  return <BarChart bars={bars} label={label} width={5} scale={scale} />;
}
