import type { KeyboardEvent } from 'react';
import { useWords } from '../../words/words.tsx';
import type { LeadTo } from './leads.ts';
import { visible } from './visible.ts';

interface Given {
  readonly to: LeadTo;
  readonly text: string;
  /** Whether Tab stops here: once in a view. */
  readonly isFirst: boolean;
  readonly follow: (lead: LeadTo) => void;
}

/** An id or a cursor that fills in the form which takes it. */
export function Lead({ to, text, isFirst, follow }: Given) {
  const { playground } = useWords();
  return (
    <button
      type="button"
      className="lead"
      data-stop
      tabIndex={isFirst ? 0 : -1}
      title={'operation' in to ? playground.leadsTo(to.operation.path) : playground.continues}
      onClick={() => follow(to)}
    >
      {visible(text)}
    </button>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** A view is one stop of the keyboard; arrows go on from there, and what they reach comes into sight. */
export function moveAmongStops(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement) || !event.target.matches('[data-stop]')) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')];
  event.preventDefault();
  stops[stops.indexOf(event.target) + step]?.focus();
}
