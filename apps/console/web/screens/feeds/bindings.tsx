import type { Binding } from '../../../api/feeds.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Status, type StatusLevel } from '../../parts/status.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { maxRows, TableSection } from './table-section.tsx';

const levels: Readonly<Record<Binding['state'], StatusLevel>> = {
  removed: 'unknown',
  waiting: 'unknown',
  'not read': 'bad',
  read: 'good',
};

/** Topics of collectors that are bound to a tenant, with the reason where one is not read. Nothing where there are none. */
export function Bindings({ bindings }: { bindings: readonly Binding[] }) {
  const { labels, language } = useLanguage();
  const { tenants } = useCurrentUser();
  const strings = labels.feeds;
  if (bindings.length === 0) return null;
  // By topic, as long as all are listed.
  const shown = bindings.length > maxRows ? bindings.toSorted(haltedFirst) : bindings;
  const nameOf = (tenantId: string) => tenants.find(({ id }) => id === tenantId)?.name ?? tenantId;
  const columns = [
    { label: strings.topic },
    { label: strings.format },
    { label: strings.tenant },
    { label: strings.state },
    { label: strings.unread, isNumber: true },
    { label: strings.written },
  ];
  return (
    <TableSection id="bindings" title={strings.bindings} columns={columns} className="bindings">
      {shown.map((binding) => (
        <tr key={binding.id}>
          <th scope="row">
            <span className="named">
              <code>{binding.topic}</code>
              <span className="small">
                {strings.cluster}: <code>{binding.cluster}</code>
              </span>
            </span>
          </th>
          <td data-name={strings.format}>
            <code>{binding.format}</code>
          </td>
          <td data-name={strings.tenant}>{nameOf(binding.tenantId)}</td>
          <td data-name={strings.state}>
            <BindingState of={binding} />
          </td>
          <td data-name={strings.unread} className="number">
            {number(language, binding.unread)}
          </td>
          <td data-name={strings.written}>{binding.writtenAt === null ? '–' : <Timestamp at={binding.writtenAt} />}</td>
        </tr>
      ))}
    </TableSection>
  );
}

const haltedFirst = (one: Binding, other: Binding): number => Number(isHalted(other)) - Number(isHalted(one));

const isHalted = ({ state, reason }: Binding): boolean => state === 'not read' || reason !== null;

/** A topic that is read may have a lane that does not move. */
function BindingState({ of: { state, reason } }: { of: Binding }) {
  const { labels } = useLanguage();
  const isHalted = state === 'read' && reason !== null;
  return (
    <span className="named">
      <Status level={isHalted ? 'bad' : levels[state]}>
        {isHalted ? labels.feeds.bindingHalted : labels.feeds.bindingStates[state]}
      </Status>
      {reason !== null && (
        <span className="small" lang="en">
          {reason}
        </span>
      )}
    </span>
  );
}
