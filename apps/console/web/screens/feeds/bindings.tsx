import type { Binding } from '../../../api/feeds.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Status, type StatusLevel } from '../../parts/status.tsx';
import { Timestamp } from '../../parts/time.tsx';

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
  const nameOf = (tenantId: string) => tenants.find(({ id }) => id === tenantId)?.name ?? tenantId;
  return (
    <section className="stack-tight" aria-labelledby="bindings">
      <h2 id="bindings">{strings.bindings}</h2>
      <div className="scroll">
        <table className="cards tight">
          <caption className="hidden">{strings.bindings}</caption>
          <thead>
            <tr>
              <th scope="col">{strings.topic}</th>
              <th scope="col">{strings.cluster}</th>
              <th scope="col">{strings.tenant}</th>
              <th scope="col">{strings.format}</th>
              <th scope="col">{strings.state}</th>
              <th scope="col" className="number">
                {strings.unread}
              </th>
              <th scope="col">{strings.written}</th>
            </tr>
          </thead>
          <tbody>
            {bindings.map((binding) => (
              <tr key={binding.id}>
                <th scope="row">
                  <code>{binding.topic}</code>
                </th>
                <td data-name={strings.cluster}>
                  <code>{binding.cluster}</code>
                </td>
                <td data-name={strings.tenant}>{nameOf(binding.tenantId)}</td>
                <td data-name={strings.format}>
                  <code>{binding.format}</code>
                </td>
                <td data-name={strings.state}>
                  <BindingState of={binding} />
                </td>
                <td data-name={strings.unread} className="number">
                  {number(language, binding.unread)}
                </td>
                <td data-name={strings.written}>
                  {binding.writtenAt === null ? '–' : <Timestamp at={binding.writtenAt} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A topic that is read may have a lane that does not move. */
function BindingState({ of: { state, reason } }: { of: Binding }) {
  const { labels } = useLanguage();
  const level = state === 'read' && reason !== null ? 'bad' : levels[state];
  return (
    <span className="named">
      <Status level={level}>{labels.feeds.bindingStates[state]}</Status>
      {reason !== null && <span className="small">{reason}</span>}
    </span>
  );
}
