import type { Letters } from '../../asked.ts';
import type { LettersSearch } from '../../router.tsx';
import { number, useLanguage } from '../../words/words.tsx';
import { MomentField } from './moment-field.tsx';

const states = ['parked', 'replayed', 'settled', 'discarded', 'all'] as const;

interface Given {
  readonly search: LettersSearch;
  readonly topics: Letters['topics'];
  readonly sift: (next: { readonly [name in keyof LettersSearch]: string | undefined }) => void;
}

/** Which letters are shown; the tenant is the frame's, the reason is chosen where reasons are counted. */
export function Filters({ search, topics, sift }: Given) {
  const { words, language } = useLanguage();
  const { letters: said } = words;
  const { state = 'parked', topic, from, to } = search;
  return (
    <div className="row">
      <label className="field">
        <span>{said.state}</span>
        <select value={state} onChange={({ target }) => sift({ state: target.value })}>
          {states.map((one) => (
            <option key={one} value={one}>
              {said.states[one]}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{said.topic}</span>
        <select value={topic ?? ''} onChange={({ target }) => sift({ topic: target.value || undefined })}>
          <option value="">{said.everyTopic}</option>
          {topic && topics.every((one) => one.topic !== topic) && <option value={topic}>{topic}</option>}
          {topics.map((one) => (
            <option key={one.topic} value={one.topic}>
              {one.topic} ({number(language, one.count)})
            </option>
          ))}
        </select>
      </label>
      <MomentField label={said.from} value={from} ofDay="00:00" change={(minute) => sift({ from: minute })} />
      <MomentField label={said.to} value={to} ofDay="23:59" change={(minute) => sift({ to: minute })} />
      {(from || to || topic) && (
        <button
          type="button"
          className="plain"
          onClick={() => sift({ from: undefined, to: undefined, topic: undefined })}
        >
          {said.clear}
        </button>
      )}
    </div>
  );
}
