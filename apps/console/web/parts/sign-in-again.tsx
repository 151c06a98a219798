import { useWords } from '../words/words.tsx';
import { Dialog } from './dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

interface Given {
  readonly title: string;
  readonly words?: string;
  /** Left out: there is no way around it. */
  readonly close?: () => void;
  readonly done: () => void;
}

/** Asks who it is over the screen, which stays as it is. */
export function SignInAgain({ title, words, close, done }: Given) {
  const { states } = useWords();
  return (
    <Dialog title={title} close={close ?? (() => {})} isHeld={!close}>
      {words && <p>{words}</p>}
      <SignInForm done={done} />
      {close && (
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
        </div>
      )}
    </Dialog>
  );
}
