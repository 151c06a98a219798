/**
 * The session of this browser as its windows know it: whose it is, what they tell each other of it, and the door at which their questions wait while
 * nobody is signed in.
 */
type News = 'signed in' | 'signed out';

const channel = new BroadcastChannel('session');

export const tell = (news: News): void => channel.postMessage(news);

/** Until the answer is called. */
export function hear(listener: (news: News) => void): () => void {
  const listen = ({ data }: MessageEvent<News>) => listener(data);
  channel.addEventListener('message', listen);
  return () => channel.removeEventListener('message', listen);
}

let shut: PromiseWithResolvers<void> | null = null;

/** From now on nothing is asked in vain: what wants to be asked waits. */
export function shutDoor(): void {
  shut ??= Promise.withResolvers();
}

export function openDoor(): void {
  shut?.resolve();
  shut = null;
}

/** Resolves when there is somebody in whose name to ask. */
export async function admitted(): Promise<void> {
  while (shut) await shut.promise;
}

let end = (to: string): void => location.replace(to);

/** How all that is shown is taken away. */
export function onEnd(work: (to: string) => void): void {
  end = work;
}

/** Nothing that was shown or known stays in this window, which goes elsewhere. */
export const endHere = (to: string): void => end(to);

let inside: string | null = null;

/** Who is signed in, as the server says. What somebody else left open is not for them. */
export function meet(personId: string): void {
  if (inside !== null && inside !== personId) endHere(location.pathname + location.search);
  else {
    inside = personId;
    openDoor();
  }
}

/** Another window signed out or in; what this one shows may be over with it. */
export function followOtherWindows(lookWhoIsIn: () => void): void {
  hear((news) => {
    if (inside === null) return;
    if (news === 'signed in') lookWhoIsIn();
    else endHere('/console/sign-in');
  });
}

/** A page that the browser keeps for its Back button shows nothing when it comes back, and is loaded anew. */
export function forgetOnLeaving(): void {
  addEventListener('pagehide', () => {
    document.body.hidden = true;
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}
