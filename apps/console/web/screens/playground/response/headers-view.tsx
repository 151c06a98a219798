import type { RunSummary } from '../../../../api/playground.ts';
import { useLabels } from '../../../labels/language.tsx';

/** The response headers and their meaning. */
export function HeadersView({ meta }: { meta: RunSummary }) {
  const { playground } = useLabels();
  const meanings: Readonly<Record<string, string>> = playground.headers;
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption className="hidden">{playground.tabs.headers}</caption>
        <thead>
          <tr>
            <th scope="col">{playground.header}</th>
            <th scope="col">{playground.value}</th>
            <th scope="col">{playground.meaning}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(meta.headers).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td data-name={playground.value}>
                <code>{value}</code>
              </td>
              <td data-name={playground.meaning} className="muted">
                {meanings[name] ?? playground.otherHeader}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
