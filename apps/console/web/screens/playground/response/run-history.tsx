import { useQuery } from '@tanstack/react-query';
import { escapeInvisible } from '../../../../api/escape-invisible.ts';
import { listPlaygroundRuns, type PlaygroundRun } from '../../../../api/playground.ts';
import { call } from '../../../client/api-client.ts';
import { number } from '../../../labels/format.ts';
import { useLanguage } from '../../../labels/language.tsx';
import { QueryResult } from '../../../parts/query/query-result.tsx';
import { Timestamp } from '../../../parts/time.tsx';

export const useRunHistory = () =>
  useQuery({
    queryKey: ['history'],
    queryFn: ({ signal }) => call(listPlaygroundRuns, {}, { signal }),
    staleTime: 0,
  });

interface Props {
  /** Fills the form in. */
  readonly load: (run: PlaygroundRun) => void;
  /** And sends it. */
  readonly rerun: (run: PlaygroundRun) => void;
}

/** Earlier runs of this member: requests, never responses. */
export function RunHistory({ load, rerun }: Props) {
  const { labels, language } = useLanguage();
  const { playground } = labels;
  const listed = useRunHistory();
  return (
    <QueryResult query={listed}>
      {({ runs }) =>
        runs.length === 0 ? (
          <p className="empty">{playground.noRuns}</p>
        ) : (
          <div className="scroll">
            <table className="cards tight">
              <caption className="hidden">{playground.tabs.history}</caption>
              <thead>
                <tr>
                  <th scope="col">{playground.operation}</th>
                  <th scope="col">{playground.parameters}</th>
                  <th scope="col">{playground.outcome}</th>
                  <th scope="col" className="number">
                    {playground.duration}
                  </th>
                  <th scope="col">{playground.time}</th>
                  <th scope="col">
                    <span className="hidden">{playground.runAgain}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {runs.map((run) => (
                  <tr key={run.id}>
                    <th scope="row">
                      <span className="named">
                        <button type="button" className="plain" onClick={() => load(run)}>
                          {run.operation}
                        </button>
                      </span>
                    </th>
                    <td data-name={playground.parameters}>
                      <code>
                        {Object.entries(run.parameters)
                          .map(([name, value]) => escapeInvisible(`${name}=${value}`))
                          .join(' ') || '–'}
                      </code>
                    </td>
                    <td data-name={playground.outcome}>
                      {run.status} {playground[run.mode]}
                    </td>
                    <td data-name={playground.duration} className="number">
                      {number(language, run.durationMs)} ms
                    </td>
                    <td data-name={playground.time}>
                      <Timestamp at={run.at} isShort />
                    </td>
                    <td>
                      <button type="button" onClick={() => rerun(run)}>
                        {playground.runAgain}
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </QueryResult>
  );
}
