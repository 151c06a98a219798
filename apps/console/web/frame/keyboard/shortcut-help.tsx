import { useLabels } from '../../labels/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useCurrentUser } from '../current-user.ts';
import { screenLabel, screensForRole } from '../screens.ts';
import { useShortcutSetting } from './shortcut-setting.ts';

/** The keyboard shortcuts, and the setting that enables single keys. */
export function ShortcutHelp({ close }: { close: () => void }) {
  const { frame, screens, shortcuts, states } = useLabels();
  const { member } = useCurrentUser();
  const [isEnabled, setEnabled] = useShortcutSetting();
  const withModifier: readonly (readonly [string, string])[] = [
    ['Ctrl K', shortcuts.palette],
    ['Esc', shortcuts.close],
    ...(member.role === 'viewer' ? [] : [['Ctrl ⏎', shortcuts.send] as const]),
  ];
  const singleKeys: readonly (readonly [string, string])[] = [
    ['?', shortcuts.help],
    ['/', shortcuts.find],
    ...(member.role === 'admin' ? [['n', shortcuts.create] as const] : []),
    ...screensForRole(member.role).map(
      ({ name, shortcut }) => [`g ${shortcut}`, screenLabel(screens, name, member.role)] as const,
    ),
  ];
  return (
    <Dialog title={frame.help} close={close}>
      <Keys of={withModifier} />
      <label className="tick">
        <input type="checkbox" checked={isEnabled} onChange={({ target }) => setEnabled(target.checked)} />
        {shortcuts.singleKeys}
      </label>
      <p className="hint">{shortcuts.singleKeysHelp}</p>
      {isEnabled && <Keys of={singleKeys} />}
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
      {keys.map(([key, description]) => (
        <div key={key} className="fact">
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{description}</dd>
        </div>
      ))}
    </dl>
  );
}
