import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { useWords } from '../words/words.tsx';
import { perform, useAct } from './acts.ts';
import { areLettersOn } from './letters.ts';
import { screensOf } from './screens.ts';
import { useMe } from './signed.ts';

export interface Overlaid {
  readonly close: () => void;
}
type Loaded = ComponentType<Overlaid>;

// Neither is needed before somebody asks for it.
const overlays = {
  palette: (): Promise<Loaded> => import('./palette.tsx').then(({ Palette }) => Palette),
  help: (): Promise<Loaded> => import('./key-help.tsx').then(({ KeyHelp }) => KeyHelp),
} as const;
type Overlay = keyof typeof overlays;

const sequenceMs = 2_000;

/** What keys do on every screen. */
export function Keyboard() {
  const { person } = useMe();
  const navigate = useNavigate();
  const [wanted, setWanted] = useState<Overlay | null>(null);
  useAct('palette', () => setWanted('palette'));
  useAct('help', () => setWanted('help'));
  const isAwaited = wanted !== null;
  const begunAt = useRef(Number.NEGATIVE_INFINITY);
  // As soon as the frame can be seen.
  useLayoutEffect(() => {
    const press = (letter: string): boolean => {
      const isSecond = performance.now() - begunAt.current < sequenceMs;
      begunAt.current = letter === 'g' && !isSecond ? performance.now() : Number.NEGATIVE_INFINITY;
      if (isSecond) {
        const screen = screensOf(person.role).find((one) => one.letter === letter);
        if (screen) void navigate({ to: screen.to });
        return screen !== undefined;
      }
      if (letter === '?') return perform('help');
      if (letter === 'n') return perform('new');
      if (letter === '/') return perform('find') || findFirst();
      return letter === 'g';
    };
    const listen = (event: KeyboardEvent) => {
      // Whoever holds Ctrl down may be about to press K.
      if (event.key === 'Control' || event.key === 'Meta') void overlays.palette().catch(() => {});
      if (event.isComposing || event.defaultPrevented || isAwaited || document.querySelector('dialog[open]')) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setWanted('palette');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event)) return;
      if (areLettersOn(person.id) && press(event.key)) event.preventDefault();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [isAwaited, navigate, person]);
  return wanted && <Overlay key={wanted} of={wanted} close={() => setWanted(null)} />;
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null) ||
  document.querySelector(':popover-open') !== null;

/** The first filter of a screen that names none: what searches, else what chooses. */
function findFirst(): boolean {
  const filter = ['input[type="search"]', 'select, input']
    .map((selector) => document.querySelector<HTMLElement>(`#content :is(${selector}):not(.panel-side *)`))
    .find((field) => field !== null);
  filter?.focus();
  return filter !== undefined;
}

function Overlay({ of, close }: { of: Overlay; close: () => void }) {
  const { frame } = useWords();
  const [Loaded, setLoaded] = useState<Loaded | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again
  useEffect(() => {
    let isGone = false;
    setError(null);
    overlays[of]().then(
      (loaded) => !isGone && setLoaded(() => loaded),
      (failure: unknown) => !isGone && setError(failure),
    );
    return () => {
      isGone = true;
    };
  }, [of, attempt]);
  if (Loaded) return <Loaded close={close} />;
  if (error === null) return null;
  return (
    <Dialog title={frame[of]} close={close}>
      <Failure error={error} again={() => setAttempt(attempt + 1)} />
    </Dialog>
  );
}
