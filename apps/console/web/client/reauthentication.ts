/** Authenticates the member again. False: the member cancelled. */
type Prompt = () => Promise<boolean>;

let prompt: Prompt | null = null;
let pending: Promise<boolean> | null = null;

/** Sets what shows the dialog; the frame does so. Returns the function that unsets it. */
export function onReauthenticationRequired(show: Prompt): () => void {
  prompt = show;
  return () => {
    prompt = null;
    pending = null;
  };
}

/** The member closed the dialog; nothing was changed. */
export class ReauthenticationCancelled extends Error {
  override name = 'ReauthenticationCancelled';
}

/** Resolves when the member has authenticated again; concurrent requests share one dialog. Throws ReauthenticationCancelled. */
export async function reauthenticate(): Promise<void> {
  pending ??= prompt?.() ?? null;
  try {
    if (!(await pending)) throw new ReauthenticationCancelled();
  } finally {
    pending = null;
  }
}
