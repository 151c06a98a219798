import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const place = 'theme';
const listeners = new Set<() => void>();
const root = document.documentElement;

const current = (): Theme => themes.find((name) => name === root.dataset.theme) ?? 'system';

/** Light or dark, as last chosen in this browser. */
export const recallTheme = (): void => {
  root.dataset.theme = localStorage.getItem(place) ?? 'system';
};

export function showTheme(next: Theme): void {
  root.dataset.theme = next;
  localStorage.setItem(place, next);
  for (const listener of listeners) listener();
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
