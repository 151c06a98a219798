/** Thousands apart: 26,015. */
export const grouped = (count: number): string => count.toLocaleString('en');
