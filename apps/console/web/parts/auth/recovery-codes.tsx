import { useState } from 'react';
import { useLabels } from '../../labels/language.tsx';
import { CopyButton } from '../copy-button.tsx';
import { useLeaveGuard } from '../leave-guard.ts';

/** Recovery codes, shown once: they cannot be left until the member confirms that they are stored. */
export function RecoveryCodes({ codes, done }: { codes: readonly string[]; done: () => void }) {
  const { setUp, newKey } = useLabels();
  const [isStored, setStored] = useState(false);
  useLeaveGuard(!isStored, setUp.leaveWarning);
  return (
    <>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div>
        <CopyButton text={codes.join('\n')} copied={() => setStored(true)} />
      </div>
      <label className="tick">
        <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
        {setUp.stored}
      </label>
      <div>
        <button type="button" className="primary" disabled={!isStored} onClick={done}>
          {newKey.done}
        </button>
      </div>
    </>
  );
}
