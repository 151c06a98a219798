import { useQuery } from '@tanstack/react-query';
import { ask } from '../../ask.ts';
import type { PlaygroundRun } from '../../asked.ts';
import { Asked } from '../../parts/asked.tsx';
import { Time } from '../../parts/time.tsx';
import { number, useLanguage } from '../../words/words.tsx';
import { visible } from './visible.ts';

export const useHistory = () =>
  useQuery({
    queryKey: ['history'],
    queryFn: ({ signal }) => ask<{ runs: PlaygroundRun[] }>('/playground/history', signal),
    staleTime: 0,
  });

interface Given {
  /** Fills the form in. */
  readonly load: (run: PlaygroundRun) => void;
  /** And sends it. */
  readonly rerun: (run: PlaygroundRun) => void;
}

/** What this person ran before: what was asked, never what was answered. */
export function History({ load, rerun }: Given) {
  const { words, language } = useLanguage();
  const { playground } = words;
  const listed = useHistory();
  return (
    <Asked query={listed}>
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
                    {playground.took}
                  </th>
                  <th scope="col">{playground.when}</th>
                  <th scope="col">
                    <span className="hidden">{playground.again}</span>
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
                          .map(([name, value]) => visible(`${name}=${value}`))
                          .join(' ') || '–'}
                      </code>
                    </td>
                    <td data-name={playground.outcome}>
                      {run.status} {playground[run.mode]}
                    </td>
                    <td data-name={playground.took} className="number">
                      {number(language, run.durationMs)} ms
                    </td>
                    <td data-name={playground.when}>
                      <Time at={run.at} isShort />
                    </td>
                    <td>
                      <button type="button" onClick={() => rerun(run)}>
                        {playground.again}
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Asked>
  );
}
