import { findProgram, requireProgram } from '@tenantscope/local';

/** Debian's Chromium, installed where that can be done; null, with a printed reason, where it cannot be had. */
export async function findChromium(): Promise<string | null> {
  try {
    return await requireProgram(() => findProgram('chromium'), {
      what: 'Chromium',
      packages: ['chromium'],
      instead: 'PATH',
    });
  } catch (cause) {
    console.log(`the console in a browser: skipped, since ${(cause as Error).message}`);
    return null;
  }
}
