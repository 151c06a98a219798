import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLabels } from '../../labels/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { useCurrentUser } from '../current-user.ts';
import { screensForRole } from '../screens.ts';
import { runAction, useAction } from './actions.ts';
import { areShortcutsEnabled } from './shortcut-setting.ts';

export interface OverlayProps {
  readonly close: () => void;
}
type Loaded = ComponentType<OverlayProps>;

// Loaded on first use.
const overlays = {
  palette: (): Promise<Loaded> => import('../palette/palette.tsx').then(({ Palette }) => Palette),
  help: (): Promise<Loaded> => import('./shortcut-help.tsx').then(({ ShortcutHelp }) => ShortcutHelp),
} as const;
type Overlay = keyof typeof overlays;

const sequenceMs = 2_000;

/** The keyboard shortcuts of every screen. */
export function Keyboard() {
  const { member } = useCurrentUser();
  const navigate = useNavigate();
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  useAction('palette', () => setOverlay('palette'));
  useAction('help', () => setOverlay('help'));
  const isOverlayOpen = overlay !== null;
  const sequenceStartedAt = useRef(Number.NEGATIVE_INFINITY);
  // A layout effect, so that shortcuts work from the first paint.
  useLayoutEffect(() => {
    const press = (key: string): boolean => {
      const isSecond = performance.now() - sequenceStartedAt.current < sequenceMs;
      sequenceStartedAt.current = key === 'g' && !isSecond ? performance.now() : Number.NEGATIVE_INFINITY;
      if (isSecond) {
        const screen = screensForRole(member.role).find(({ shortcut }) => shortcut === key);
        if (screen) void navigate({ to: screen.to });
        return screen !== undefined;
      }
      if (key === '?') return runAction('help');
      if (key === 'n') return runAction('new');
      if (key === '/') return runAction('find') || focusFirstFilter();
      return key === 'g';
    };
    const listen = (event: KeyboardEvent) => {
      // Ctrl may be followed by K: preload the palette.
      if (event.key === 'Control' || event.key === 'Meta') void overlays.palette().catch(() => {});
      if (event.isComposing || event.defaultPrevented || isOverlayOpen || document.querySelector('dialog[open]'))
        return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOverlay('palette');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event)) return;
      if (areShortcutsEnabled(member.id) && press(event.key)) event.preventDefault();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [isOverlayOpen, navigate, member]);
  return overlay && <LoadedOverlay key={overlay} of={overlay} close={() => setOverlay(null)} />;
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null) ||
  document.querySelector(':popover-open') !== null;

/** Focuses the first search field of a screen, else its first filter; for screens that do not bind the shortcut. */
function focusFirstFilter(): boolean {
  const filter = ['input[type="search"]', 'select, input']
    .map((selector) => document.querySelector<HTMLElement>(`#content :is(${selector}):not(.panel-side *)`))
    .find((field) => field !== null);
  filter?.focus();
  return filter !== undefined;
}

function LoadedOverlay({ of, close }: { of: Overlay; close: () => void }) {
  const { frame } = useLabels();
  const [Loaded, setLoaded] = useState<Loaded | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads it again
  useEffect(() => {
    let isUnmounted = false;
    setError(null);
    overlays[of]().then(
      (loaded) => !isUnmounted && setLoaded(() => loaded),
      (failure: unknown) => !isUnmounted && setError(failure),
    );
    return () => {
      isUnmounted = true;
    };
  }, [of, attempt]);
  if (Loaded) return <Loaded close={close} />;
  if (error === null) return null;
  return (
    <Dialog title={frame[of]} close={close}>
      <ErrorMessage error={error} again={() => setAttempt(attempt + 1)} />
    </Dialog>
  );
}
