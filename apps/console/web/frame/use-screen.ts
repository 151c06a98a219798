import { useMatches } from '@tanstack/react-router';
import { type Screen, screenAt } from './screens.ts';

/** The screen in sight. */
export function useScreen(): Screen | null {
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  return screenAt(path.replace(/(?<=.)\/$/, ''));
}
