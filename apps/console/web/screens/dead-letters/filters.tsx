import type { DeadLetters } from '../../../api/dead-letters.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import type { DeadLettersSearch, DeadLettersSearchChange } from './dead-letters-search.ts';
import { TimeField } from './time-field.tsx';

const states = ['pending', 'replayed', 'settled', 'discarded', 'all'] as const;

interface Props {
  readonly search: DeadLettersSearch;
  readonly topics: DeadLetters['topics'];
  readonly applyFilter: (change: DeadLettersSearchChange) => void;
}

/** Filters of the list. The tenant is set in the frame, the reason in the table of reasons. */
export function Filters({ search, topics, applyFilter }: Props) {
  const { labels, language } = useLanguage();
  const { deadLetters: strings } = labels;
  const { state = 'pending', topic, from, to } = search;
  return (
    <div className="row">
      <label className="field">
        <span>{strings.state}</span>
        <select value={state} onChange={({ target }) => applyFilter({ state: target.value })}>
          {states.map((one) => (
            <option key={one} value={one}>
              {strings.states[one]}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{strings.topic}</span>
        <select value={topic ?? ''} onChange={({ target }) => applyFilter({ topic: target.value || undefined })}>
          <option value="">{strings.allTopics}</option>
          {topic && topics.every((one) => one.topic !== topic) && <option value={topic}>{topic}</option>}
          {topics.map((one) => (
            <option key={one.topic} value={one.topic}>
              {one.topic} ({number(language, one.count)})
            </option>
          ))}
        </select>
      </label>
      <TimeField label={strings.from} value={from} ofDay="00:00" change={(minute) => applyFilter({ from: minute })} />
      <TimeField label={strings.to} value={to} ofDay="23:59" change={(minute) => applyFilter({ to: minute })} />
      {(from || to || topic) && (
        <button
          type="button"
          className="plain"
          onClick={() => applyFilter({ from: undefined, to: undefined, topic: undefined })}
        >
          {strings.clear}
        </button>
      )}
    </div>
  );
}
