/** Shown in both languages where the labels of the chosen one could not be loaded. */
export const loadError = {
  title: 'Tenantscope',
  en: { text: 'The console could not be loaded completely.', reload: 'Reload' },
  pl: { text: 'Nie udało się wczytać całej konsoli.', reload: 'Wczytaj ponownie' },
} as const;
