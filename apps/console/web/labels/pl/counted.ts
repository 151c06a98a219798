const plural = new Intl.PluralRules('pl');
/** Polish counts in four ways: 1 klucz, 2 klucze, 5 kluczy, 1,5 klucza. */
export const counted = (count: number, one: string, few: string, many: string): string => {
  const rule = plural.select(count);
  return `${count.toLocaleString('pl')} ${rule === 'one' ? one : rule === 'few' ? few : many}`;
};
