import type { SendRequest } from '../http/provider-request.ts';

/** A stream with more to collect continues behind the others that are due. */
const shareMs = 60_000;

export class ShareUsed extends Error {
  override name = 'ShareUsed';
}

/** The share of a run in the time of its process, which the streams of all tenants use in turn. */
export interface RunShare {
  /** Throws ShareUsed for a request after the share, if the run has stored progress: pages without records take as long as others. */
  readonly send: SendRequest;
  recordProgress(): void;
}

export function createRunShare(send: SendRequest, startedAtMs: number): RunShare {
  let hasProgress = false;
  return {
    async send(request) {
      if (hasProgress && Date.now() - startedAtMs > shareMs) throw new ShareUsed('other streams are due');
      return send(request);
    },
    recordProgress() {
      hasProgress = true;
    },
  };
}
