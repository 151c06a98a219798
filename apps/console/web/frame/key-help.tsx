import { Dialog } from '../parts/dialog.tsx';
import { useWords } from '../words/words.tsx';
import { useLetters } from './letters.ts';
import { screensOf } from './screens.ts';
import { useMe } from './signed.ts';

/** Which key does what, and whether single letters do anything. */
export function KeyHelp({ close }: { close: () => void }) {
  const { frame, screens, keyHelp: said, states } = useWords();
  const { person } = useMe();
  const [areOn, turn] = useLetters();
  const always: readonly (readonly [string, string])[] = [
    ['Ctrl K', said.palette],
    ['Esc', said.close],
    ...(person.role === 'viewer' ? [] : [['Ctrl ⏎', said.send] as const]),
  ];
  const letters: readonly (readonly [string, string])[] = [
    ['?', said.help],
    ['/', said.find],
    ...(person.role === 'admin' ? [['n', said.create] as const] : []),
    ...screensOf(person.role).map(({ name, letter }) => [`g ${letter}`, screens[name]] as const),
  ];
  return (
    <Dialog title={frame.help} close={close}>
      <Keys of={always} />
      <label className="tick">
        <input type="checkbox" checked={areOn} onChange={({ target }) => turn(target.checked)} />
        {said.letters}
      </label>
      <p className="hint">{said.lettersWords}</p>
      {areOn && <Keys of={letters} />}
      <div className="menu-foot">
        <button type="button" onClick={close}>
          {states.close}
        </button>
      </div>
    </Dialog>
  );
}

function Keys({ of: keys }: { of: readonly (readonly [string, string])[] }) {
  return (
    <dl className="facts">
      {keys.map(([key, words]) => (
        <div key={key} className="fact">
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}
