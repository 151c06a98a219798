import type { KeyboardEvent } from 'react';
import { escapeInvisible } from '../../../../api/escape-invisible.ts';
import { useLabels } from '../../../labels/language.tsx';
import type { LinkTarget } from './id-links.ts';

interface Props {
  readonly to: LinkTarget;
  readonly text: string;
  /** Whether Tab stops here: once in a view. */
  readonly isFirst: boolean;
  readonly openLink: (link: LinkTarget) => void;
}

/** A link from an id or a cursor to the form that accepts it. */
export function IdLink({ to, text, isFirst, openLink }: Props) {
  const { playground } = useLabels();
  return (
    <button
      type="button"
      className="id-link"
      data-stop
      tabIndex={isFirst ? 0 : -1}
      title={'operation' in to ? playground.openLink(to.operation.path) : playground.continueFrom}
      onClick={() => openLink(to)}
    >
      {escapeInvisible(text)}
    </button>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** A view is one stop of the keyboard; arrows go on from there, and what they reach comes into sight. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement) || !event.target.matches('[data-stop]')) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')];
  event.preventDefault();
  stops[stops.indexOf(event.target) + step]?.focus();
}
