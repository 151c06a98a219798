import type { RejectedFormat } from '../../../api/feeds.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';

/** Records of each format that are no rows, and their share of what arrived. Nothing where there are none. */
export function RejectedFormats({ formats }: { formats: readonly RejectedFormat[] }) {
  const { labels, language } = useLanguage();
  const { tenants } = useCurrentUser();
  const strings = labels.feeds;
  if (formats.length === 0) return null;
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <div className="stack-tight">
      <h2 id="rejected">{strings.rejectedRecords}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the window is scrolled with the arrow keys */}
      <section className="scroll" aria-labelledby="rejected" tabIndex={0}>
        <table className="cards tight">
          <caption className="hidden">{strings.rejectedRecords}</caption>
          <thead>
            <tr>
              <th scope="col">{strings.format}</th>
              <th scope="col">{strings.tenant}</th>
              <th scope="col" className="number">
                {strings.rejectedRecords}
              </th>
              <th scope="col" className="number">
                {strings.rejectedShare}
              </th>
            </tr>
          </thead>
          <tbody>
            {formats.map(({ tenantId, format, rejected, share: part }) => (
              <tr key={`${tenantId} ${format}`}>
                <th scope="row">{format === null ? strings.unknownFormat : <code>{format}</code>}</th>
                <td data-name={strings.tenant}>{tenants.find(({ id }) => id === tenantId)?.name ?? tenantId}</td>
                <td data-name={strings.rejectedRecords} className="number">
                  {number(language, rejected)}
                </td>
                <td data-name={strings.rejectedShare} className="number">
                  {share.format(part)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
