import { useEffect, useId, useRef, useState } from 'react';
import { useLabels } from '../../labels/language.tsx';
import { isDay } from '../../parts/date-field.tsx';

interface Props {
  readonly label: string;
  /** A minute as 2026-11-22T17:31, in UTC; undefined: none. */
  readonly value: string | undefined;
  /** What a day alone means. */
  readonly ofDay: string;
  readonly change: (minute: string | undefined) => void;
}

/** A field for a minute or a day in UTC. An invalid value is not reported to the parent. */
export function TimeField({ label, value = '', ofDay, change }: Props) {
  const { deadLetters: strings } = useLabels();
  const id = useId();
  const [text, setText] = useState(() => shown(value));
  const field = useRef<HTMLInputElement>(null);
  // The typed text stays while it has the same value.
  useEffect(() => setText((before) => (minuteOf(before, ofDay) === value ? before : shown(value))), [value, ofDay]);
  const isAllowed = text === '' || minuteOf(text, ofDay) !== null;
  useEffect(() => field.current?.setCustomValidity(isAllowed ? '' : strings.invalidTime), [isAllowed, strings]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        ref={field}
        id={id}
        value={text}
        placeholder="2026-11-22 17:31"
        maxLength={16}
        size={16}
        autoComplete="off"
        aria-invalid={!isAllowed}
        aria-describedby={isAllowed ? undefined : `${id}-wrong`}
        onChange={({ target }) => {
          setText(target.value);
          const minute = minuteOf(target.value, ofDay);
          if (target.value === '' || minute !== null) change(minute ?? undefined);
        }}
      />
      {!isAllowed && (
        <span className="wrong" id={`${id}-wrong`}>
          {strings.invalidTime}
        </span>
      )}
    </div>
  );
}

const shown = (minute: string): string => minute.replace('T', ' ');

function minuteOf(text: string, ofDay: string): string | null {
  const [day = '', time = ofDay, ...more] = text.trim().split(/[ T]/);
  return isDay(day) && /^([01]\d|2[0-3]):[0-5]\d$/.test(time) && more.length === 0 ? `${day}T${time}` : null;
}
