import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useLabels } from '../../labels/language.tsx';
import { type PaletteEntry, type PaletteGroup, usePaletteEntries } from './palette-entries.ts';
import { rankMatches } from './search-rank.ts';

/** Entries shown of each group, before and after the user types. */
const groupLimit = { initial: 4, matching: 20 } as const;
const pageSize = 8;

/** The command palette: the typed text filters the entries, arrow keys select one and Enter runs it. */
export function Palette({ close }: { close: () => void }) {
  const { palette } = useLabels();
  const { groups, isComplete } = usePaletteEntries();
  const [text, setText] = useState('');
  const query = text.trim();
  const matches = filterGroups(groups, query);
  const entries = matches.flatMap((group) => group.entries);
  const [index, setIndex] = useState(0);
  const selected = entries[Math.min(index, entries.length - 1)];
  const id = useId();
  const optionId = (entry: PaletteEntry) => `${id}-${entry.id}`;
  const selectedId = selected && optionId(selected);
  useEffect(() => {
    if (selectedId) document.getElementById(selectedId)?.scrollIntoView({ block: 'nearest' });
  }, [selectedId]);
  const run = (entry: PaletteEntry) => {
    close();
    entry.run();
  };
  const handleKey = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, index, entries.length - 1);
    if (next !== undefined) setIndex(Math.max(0, next));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && selected) run(selected);
    else return;
    event.preventDefault();
  };
  return (
    <PaletteDialog label={palette.title} close={close}>
      <input
        type="text"
        role="combobox"
        aria-label={palette.field}
        placeholder={palette.field}
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={selectedId}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setIndex(0);
        }}
        onKeyDown={handleKey}
      />
      <div id={`${id}-list`} className="palette-list" role="listbox" aria-label={palette.title}>
        {matches.map(({ name, entries: options }) => (
          // biome-ignore lint/a11y/useSemanticElements: options are grouped in a listbox, not in a form
          <div key={name} role="group" aria-labelledby={`${id}-${name}`}>
            <div id={`${id}-${name}`} className="palette-group" role="presentation">
              {palette.groups[name]}
            </div>
            {options.map((entry) => (
              <PaletteOption
                key={entry.id}
                id={optionId(entry)}
                entry={entry}
                isSelected={entry === selected}
                run={() => run(entry)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className={entries.length === 0 ? 'muted palette-status' : 'hidden'} role="status">
        {entries.length === 0
          ? isComplete
            ? palette.noMatch
            : palette.searching
          : query !== '' && palette.matchCount(entries.length)}
      </p>
    </PaletteDialog>
  );
}

/** A modal dialog that a click outside closes, too. */
function PaletteDialog({ label, close, children }: { label: string; close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside is Esc for pointer users
    <dialog
      ref={dialog}
      className="palette"
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {children}
    </dialog>
  );
}

interface PaletteOptionProps {
  readonly id: string;
  readonly entry: PaletteEntry;
  readonly isSelected: boolean;
  readonly run: () => void;
}

function PaletteOption({ id, entry: { label, hint, keys }, isSelected, run }: PaletteOptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and references the option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles keys
    <div id={id} className="palette-option" role="option" aria-selected={isSelected} onClick={run}>
      <span className="palette-label">{label}</span>
      {hint && <span className="palette-hint">{hint}</span>}
      {keys && <kbd>{keys}</kbd>}
    </div>
  );
}

/** The index that an arrow or page key moves to; undefined for other keys. */
function nextIndex(key: string, index: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: index >= last ? 0 : index + 1,
    ArrowUp: index <= 0 ? last : Math.min(index, last) - 1,
    PageDown: Math.min(last, index + pageSize),
    PageUp: Math.max(0, index - pageSize),
  };
  return steps[key];
}

function filterGroups(groups: readonly PaletteGroup[], query: string): readonly PaletteGroup[] {
  return groups
    .map((group) => ({
      ...group,
      entries: rankMatches(query, group.entries).slice(
        0,
        query === '' ? (group.initialCount ?? groupLimit.initial) : groupLimit.matching,
      ),
    }))
    .filter(({ entries }) => entries.length > 0);
}
