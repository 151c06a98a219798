import type { RejectedFormat } from '../../../api/feeds.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { TableSection } from './table-section.tsx';

/** Records of each format that are no rows, and their share of what arrived. Nothing where there are none. */
export function RejectedFormats({ formats }: { formats: readonly RejectedFormat[] }) {
  const { labels, language } = useLanguage();
  const { tenants } = useCurrentUser();
  const strings = labels.feeds;
  if (formats.length === 0) return null;
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const columns = [
    { label: strings.format },
    { label: strings.tenant },
    { label: strings.rejectedRecords, isNumber: true },
    { label: strings.rejectedShare, isNumber: true },
  ];
  return (
    <TableSection id="rejected" title={strings.rejectedRecords} columns={columns}>
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
    </TableSection>
  );
}
