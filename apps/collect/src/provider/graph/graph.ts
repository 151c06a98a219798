import { createMicrosoftRequest } from '../microsoft/microsoft-request.ts';
import { type Provider, withProviderClock } from '../provider.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { readWindows } from '../window/time-windows.ts';
import { readDelta } from './directory-delta.ts';
import { directoryResources, timedResources } from './graph-streams.ts';
import { createTimedSource } from './timed-listing.ts';

/** Microsoft Graph: security alerts and incidents, logs of the directory, and its objects. */
export const graph: Provider = {
  completeAt: 'runStart',
  async *readPages(input) {
    const request = await createMicrosoftRequest(input);
    const directory = directoryResources[input.stream];
    const timed = timedResources[input.stream];
    if (directory !== undefined) yield* readDelta(input, request, directory);
    else if (timed !== undefined)
      yield* readWindows(withProviderClock(input), createTimedSource(input, request, timed));
    else throw new ProviderFailure('invalid', `Microsoft Graph has no stream ${input.stream}`);
  },
};
