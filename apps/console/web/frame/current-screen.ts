import { useMatches } from '@tanstack/react-router';
import { findScreen, type Screen } from './screens.ts';

/** The current screen; null on pages without one. */
export function useCurrentScreen(): Screen | null {
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  return findScreen(path.replace(/(?<=.)\/$/, ''));
}
