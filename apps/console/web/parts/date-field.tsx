import { useEffect, useId, useRef, useState } from 'react';
import { useWords } from '../words/words.tsx';

interface Given {
  readonly label: string;
  /** Days as 2026-11-22, in UTC; both bounds are allowed. */
  readonly value: string;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  /** Told of days only that lie within the bounds. */
  readonly change: (day: string) => void;
}

/**
 * A day, written as days are written everywhere here. A browser writes its own field in the order of its own language, whatever the page speaks,
 * so that nobody can tell the 10th of November from the 11th of October; its calendar is used all the same.
 */
export function DateField({ label, value, min, max, change }: Given) {
  const { states } = useWords();
  const id = useId();
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  useEffect(() => setText(value), [value]);
  const isAllowed = isDay(text) && !(min && text < min) && !(max && text > max);
  const wrong = isAllowed ? '' : states.wrongDay(min ?? null, max ?? null);
  useEffect(() => field.current?.setCustomValidity(wrong), [wrong]);
  const enter = (day: string) => {
    setText(day);
    if (isDay(day) && !(min && day < min) && !(max && day > max)) change(day);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="date">
        <input
          ref={field}
          id={id}
          value={text}
          inputMode="numeric"
          placeholder="2026-11-22"
          maxLength={10}
          size={10}
          autoComplete="off"
          aria-invalid={!isAllowed}
          aria-describedby={isAllowed ? undefined : `${id}-wrong`}
          onChange={({ target }) => enter(target.value)}
        />
        <input
          ref={calendar}
          type="date"
          className="date-calendar"
          tabIndex={-1}
          aria-hidden="true"
          value={isDay(text) ? text : ''}
          min={min}
          max={max}
          onChange={({ target }) => target.value && enter(target.value)}
        />
        <button type="button" aria-label={states.calendar} onClick={() => calendar.current?.showPicker()}>
          <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
            <path
              d="M1.5 3.5h11v9h-11zM1.5 6.5h11M4.5 1v3M9.5 1v3"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.3"
            />
          </svg>
        </button>
      </span>
      {!isAllowed && (
        <span className="wrong" id={`${id}-wrong`}>
          {wrong}
        </span>
      )}
    </div>
  );
}

export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // The 31st of February is read as a day of March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
