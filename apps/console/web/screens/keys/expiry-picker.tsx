import { useState } from 'react';
import { useCurrentUser } from '../../frame/current-user.ts';
import { useLabels } from '../../labels/language.tsx';
import { DateField } from '../../parts/date-field.tsx';
import { SegmentedControl } from '../../parts/segmented-control.tsx';
import { allowedLifetimes, dateIn, expiryTime, formatDay, type Lifetime, lastDay, latestExpiry } from './expiry.ts';

const usual = 180;

/** Until when a key that was born then may live, as far as the organization lets it. Null: one that is about to be born. */
export function useExpiry(bornMs: number | null, first: { lifetime: Lifetime; at: string | null }) {
  const { organization } = useCurrentUser();
  const [nowMs] = useState(Date.now);
  const lastMs = latestExpiry(bornMs ?? nowMs, organization.keyLifetimeDays);
  const lifetimes = allowedLifetimes(lastMs, nowMs);
  const [chosen, setLifetime] = useState<Lifetime>(first.lifetime);
  const [isTouched, setTouched] = useState(false);
  const [date, setDate] = useState(() => {
    if (first.at !== null) return formatDay(Date.parse(first.at));
    const day = dateIn(usual, nowMs);
    return lastMs === null || day <= lastDay(lastMs) ? day : lastDay(lastMs);
  });
  // What a key has already stays until it is changed, allowed by now or not.
  const longest = bornMs === null ? (lifetimes.findLast((one) => one !== 'onDate') ?? 'onDate') : null;
  const lifetime = lifetimes.includes(chosen) ? chosen : longest;
  const touching =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      setTouched(true);
      set(value);
    };
  return {
    expiresAt: isTouched || bornMs === null ? expiryTime(lifetime ?? 'onDate', date, lastMs, nowMs) : first.at,
    picker: {
      lifetimes,
      lifetime,
      setLifetime: touching(setLifetime),
      date,
      setDate: touching(setDate),
      lastMs,
      nowMs,
      days: organization.keyLifetimeDays,
    },
  };
}

type Props = ReturnType<typeof useExpiry>['picker'];

export function ExpiryPicker({ lifetimes, lifetime, setLifetime, date, setDate, lastMs, nowMs, days }: Props) {
  const { newKey } = useLabels();
  return (
    <fieldset className="stack-tight">
      <legend>{newKey.expires}</legend>
      <SegmentedControl names={lifetimes} label={(one) => newKey[one]} chosen={lifetime} choose={setLifetime} />
      {lifetime === 'onDate' && (
        <DateField
          label={newKey.date}
          value={date}
          min={dateIn(0, nowMs)}
          max={lastMs === null ? undefined : lastDay(lastMs)}
          change={setDate}
        />
      )}
      {days !== null && <p className="hint">{newKey.longest(days)}</p>}
    </fieldset>
  );
}
