import { ProviderFailure } from './provider-failure.ts';

/** Of a page that was too large: a quarter of its records. */
export function shrinkPage(pageMax: number): number {
  return Math.max(1, Math.floor(pageMax / 4));
}

/** Requests a page of at most `pageMax` records. `tooLarge`: its response is longer than the limit, and fewer records can be requested. */
export async function requestPage<T>(pageMax: number, request: () => Promise<T>): Promise<T | 'tooLarge'> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof ProviderFailure && error.kind === 'tooLarge' && pageMax > 1) return 'tooLarge';
    throw error;
  }
}
