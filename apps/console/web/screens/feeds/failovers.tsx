import type { Failover } from '../../../api/feeds.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Status } from '../../parts/status.tsx';
import { TableSection } from './table-section.tsx';

/** Whether a failover of the database is safe, and the standbys, as each api process sees them. Nothing without standbys. */
export function Failovers({ failovers }: { failovers: readonly Failover[] }) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  if (failovers.length === 0) return null;
  const columns = [
    { label: strings.standby },
    { label: strings.promotable },
    { label: strings.lag, isNumber: true },
    { label: strings.seenBy },
    { label: strings.epoch, isNumber: true },
    { label: strings.state },
  ];
  return (
    <TableSection id="failovers" title={strings.failovers} columns={columns} className="failovers">
      {failovers.flatMap((failover) =>
        failover.standbys.map(({ name, isBounding, lagMs }) => (
          <tr key={`${failover.host} ${name}`}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td data-name={strings.promotable}>{isBounding ? strings.yes : strings.no}</td>
            <td data-name={strings.lag} className="number">
              {lagMs === null ? strings.unknown : `${number(language, lagMs)} ms`}
            </td>
            <td data-name={strings.seenBy}>
              <code>{failover.host}</code>
            </td>
            <td data-name={strings.epoch} className="number">
              {failover.epoch === null ? strings.unknown : number(language, failover.epoch)}
            </td>
            <td data-name={strings.state}>
              <FailoverStatus of={failover} />
            </td>
          </tr>
        )),
      )}
    </TableSection>
  );
}

function FailoverStatus({ of: { problem, waitsFor } }: { of: Failover }) {
  const { labels } = useLanguage();
  const strings = labels.feeds;
  if (problem !== null)
    return (
      <span className="named">
        <Status level="bad">{strings.failoverUnsafe}</Status>
        <span className="small" lang="en">
          {problem}
        </span>
      </span>
    );
  if (waitsFor !== null) return <Status level="warn">{strings.waitsForStandby(waitsFor)}</Status>;
  return <Status level="good">{strings.failoverSafe}</Status>;
}
