import { findProgram, requireProgram } from '@tenantscope/local';

/** The Chromium of Debian, installed if possible; null, with the reason on stdout, if it is not available. */
export async function findChromium(): Promise<string | null> {
  try {
    return await requireProgram(() => findProgram('chromium'), {
      what: 'Chromium',
      packages: ['chromium'],
      instead: 'PATH',
    });
  } catch (cause) {
    console.log(`browser tests skipped: ${(cause as Error).message}`);
    return null;
  }
}
