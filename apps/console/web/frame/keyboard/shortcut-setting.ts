import { useState } from 'react';
import { useCurrentUser } from '../current-user.ts';

const storageKey = (memberId: string): string => `shortcuts:${memberId}`;

export const areShortcutsEnabled = (memberId: string): boolean => localStorage.getItem(storageKey(memberId)) !== 'off';

/** Whether single-key shortcuts are enabled; they get in the way of speech input. Stored in this browser, per member. */
export function useShortcutSetting(): readonly [boolean, (isEnabled: boolean) => void] {
  const { member } = useCurrentUser();
  const [isEnabled, setEnabled] = useState(() => areShortcutsEnabled(member.id));
  const change = (next: boolean) => {
    if (next) localStorage.removeItem(storageKey(member.id));
    else localStorage.setItem(storageKey(member.id), 'off');
    setEnabled(next);
  };
  return [isEnabled, change];
}
