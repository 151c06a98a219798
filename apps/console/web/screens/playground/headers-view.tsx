import { useWords } from '../../words/words.tsx';
import type { Told } from './page.ts';

/** What came beside the body, and what it means. */
export function HeadersView({ told }: { told: Told }) {
  const { playground } = useWords();
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
          {Object.entries(told.headers).map(([name, value]) => (
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
