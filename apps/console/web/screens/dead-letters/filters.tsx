import type { Letters } from '../../asked.ts';
import type { LettersSearch } from '../../router.tsx';
import { number, useLanguage } from '../../words/words.tsx';

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
  const time = (name: 'from' | 'to', value: string | undefined) => (
    <label className="field">
      <span>{said[name]}</span>
      <input
        type="datetime-local"
        value={value ?? ''}
        onChange={({ target }) => sift({ [name]: target.value || undefined })}
      />
    </label>
  );
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
      {time('from', from)}
      {time('to', to)}
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
