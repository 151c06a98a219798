import { useEffect, useId, useRef, useState } from 'react';
import { useLabels } from '../labels/language.tsx';

interface Props {
  readonly label: string;
  /** A UTC date such as 2026-11-22; both bounds are inclusive. */
  readonly value: string;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  /** Called with valid dates within the bounds only. */
  readonly change: (day: string) => void;
}

/**
 * A date in ISO format, as everywhere in the console. The date field of a browser uses the browser's own locale, which makes 10/11 ambiguous; only
 * its calendar is used.
 */
export function DateField({ label, value, min, max, change }: Props) {
  const { states } = useLabels();
  const id = useId();
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  useEffect(() => setText(value), [value]);
  const isAllowed = isDay(text) && !(min && text < min) && !(max && text > max);
  const error = isAllowed ? '' : states.invalidDate(min ?? null, max ?? null);
  useEffect(() => field.current?.setCustomValidity(error), [error]);
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
          aria-describedby={isAllowed ? undefined : `${id}-error`}
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
        <span className="wrong" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse reads 31 February as a day of March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
