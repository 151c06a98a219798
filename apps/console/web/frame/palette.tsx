import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { type Entry, type Group, useEntries } from './entries.ts';
import { foundAmong } from './found.ts';

/** As many of a group as are read at a glance; more are typed for. */
const most = { unasked: 4, asked: 20 } as const;

/** One field that leads everywhere: what is typed narrows the list, arrows choose, Enter does it. */
export function Palette({ close }: { close: () => void }) {
  const { palette: said } = useWords();
  const { groups, isWhole } = useEntries();
  const [typed, setTyped] = useState('');
  const wanted = typed.trim();
  const found = narrowed(groups, wanted);
  const entries = found.flatMap((group) => group.entries);
  const [at, setAt] = useState(0);
  const chosen = entries[Math.min(at, entries.length - 1)];
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const idOf = (entry: Entry) => `${id}-${entry.id}`;
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  const chosenId = chosen && idOf(chosen);
  useEffect(() => {
    if (chosenId) document.getElementById(chosenId)?.scrollIntoView({ block: 'nearest' });
  }, [chosenId]);
  const act = (entry: Entry) => {
    close();
    entry.act();
  };
  const press = (event: KeyboardEvent) => {
    const last = entries.length - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at >= last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : Math.min(at, last) - 1,
      PageDown: Math.min(last, at + 8),
      PageUp: Math.max(0, at - 8),
    };
    const next = steps[event.key];
    if (next !== undefined) setAt(Math.max(0, next));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && chosen) act(chosen);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press outside is Esc for those who point
    <dialog
      ref={dialog}
      className="palette"
      aria-label={said.title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label={said.field}
        placeholder={said.field}
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={chosenId}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id={`${id}-list`} className="palette-list" role="listbox" aria-label={said.title}>
        {found.map(({ name, entries: ofGroup }) => (
          // biome-ignore lint/a11y/useSemanticElements: options stand in groups of a list, not of a form
          <div key={name} role="group" aria-labelledby={`${id}-${name}`}>
            <div id={`${id}-${name}`} className="palette-group" role="presentation">
              {said.groups[name]}
            </div>
            {ofGroup.map((entry) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the option
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are read by the field
              <div
                key={entry.id}
                id={idOf(entry)}
                className="palette-option"
                role="option"
                aria-selected={entry === chosen}
                onClick={() => act(entry)}
              >
                <span className="palette-label">{entry.label}</span>
                {entry.hint && <span className="palette-hint">{entry.hint}</span>}
                {entry.keys && <kbd>{entry.keys}</kbd>}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className={entries.length === 0 ? 'muted palette-none' : 'hidden'} role="status">
        {entries.length === 0 ? (isWhole ? said.none : said.looking) : wanted !== '' && said.found(entries.length)}
      </p>
    </dialog>
  );
}

function narrowed(groups: readonly Group[], typed: string): readonly Group[] {
  return groups
    .map((group) => ({
      ...group,
      entries: foundAmong(typed, group.entries).slice(0, typed === '' ? (group.shown ?? most.unasked) : most.asked),
    }))
    .filter(({ entries }) => entries.length > 0);
}
