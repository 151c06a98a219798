/**
 * The session of this browser, shared by its windows: its member, the events that windows broadcast, and the requests that wait while no user is
 * signed in.
 */
type SessionEvent = 'signed in' | 'signed out';

const channel = new BroadcastChannel('session');

export const broadcast = (event: SessionEvent): void => channel.postMessage(event);

/** Returns the function that unsubscribes. */
export function subscribe(listener: (event: SessionEvent) => void): () => void {
  const listen = ({ data }: MessageEvent<SessionEvent>) => listener(data);
  channel.addEventListener('message', listen);
  return () => channel.removeEventListener('message', listen);
}

let suspension: PromiseWithResolvers<void> | null = null;

/** Requests wait from now on, since they would be refused. */
export function suspendRequests(): void {
  suspension ??= Promise.withResolvers();
}

let handleRefusal: (error: Error, path: string) => void = () => {};

/** Sets what the page does when a response reports that no user is signed in: to any request, since all others wait from then on. */
export function onSignedOut(handle: (error: Error, path: string) => void): void {
  handleRefusal = handle;
}

/** The response to a request to this path reports that no user is signed in. */
export function reportSignedOut(error: Error, path: string): void {
  suspendRequests();
  handleRefusal(error, path);
}

export function resumeRequests(): void {
  suspension?.resolve();
  suspension = null;
}

/** Resolves when a user is signed in. */
export async function whenSignedIn(): Promise<void> {
  while (suspension) await suspension.promise;
}

let end = (to: string): void => location.replace(to);

/** Sets how the page is cleared. */
export function onSessionEnd(clear: (to: string) => void): void {
  end = clear;
}

/** Clears the page and its caches, and navigates away. */
export const endSession = (to: string): void => end(to);

let currentMemberId: string | null = null;

/** The signed-in member, as the server reports. Clears the page if it belongs to another member. */
export function setCurrentMember(memberId: string): void {
  if (currentMemberId !== null && currentMemberId !== memberId) endSession(location.pathname + location.search);
  else {
    currentMemberId = memberId;
    resumeRequests();
  }
}

/** Follows sign-in and sign-out in other windows. */
export function followOtherWindows(refreshSession: () => void): void {
  subscribe((event) => {
    if (currentMemberId === null) return;
    if (event === 'signed in') refreshSession();
    else endSession('/console/sign-in');
  });
}

/** Hides a page that the browser stores for its Back button, and reloads it when it is restored. */
export function clearOnPageHide(): void {
  addEventListener('pagehide', () => {
    document.body.hidden = true;
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}
