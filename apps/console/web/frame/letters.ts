import { useState } from 'react';
import { useMe } from './signed.ts';

const place = (personId: string): string => `letters:${personId}`;

export const areLettersOn = (personId: string): boolean => localStorage.getItem(place(personId)) !== 'off';

/** Whether single letters act. Whoever speaks to the computer, or presses keys unmeant, switches them off: kept in this browser, for this person. */
export function useLetters(): readonly [boolean, (areOn: boolean) => void] {
  const { person } = useMe();
  const [areOn, setOn] = useState(() => areLettersOn(person.id));
  const turn = (next: boolean) => {
    if (next) localStorage.removeItem(place(person.id));
    else localStorage.setItem(place(person.id), 'off');
    setOn(next);
  };
  return [areOn, turn];
}
