import { useState } from 'react';
import type { MadeKey, Me } from '../../asked.ts';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useHold } from '../../parts/hold.ts';
import { Status } from '../../parts/status.tsx';
import { useMe } from '../../shell.tsx';
import { useWords } from '../../words/words.tsx';

/** The secret, the one time it is shown. It stands in this component's state and nowhere else. */
export function Secret({ of: { key, secret, test }, done }: { of: MadeKey; done: () => void }) {
  const { newKey, keys } = useWords();
  const me = useMe();
  const [isStored, setStored] = useState(false);
  useHold(!isStored, newKey.leave);
  const stored = () => setStored(true);
  return (
    <Dialog title={newKey.secretTitle} close={done} isHeld={!isStored}>
      <p>{newKey.secretWords}</p>
      <code className="secret">{secret}</code>
      <div className="row apart">
        <Copy text={secret} copied={stored} />
        <label className="tick">
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
          {newKey.stored}
        </label>
      </div>
      {test?.status === 200 ? (
        <Status standing="good">{newKey.test(key.tenantName ?? keys.whole, keys.scopes(key.scopes.length))}</Status>
      ) : (
        <Status standing="warn">{newKey.testFailed}</Status>
      )}
      <div className="stack-tight">
        <h3>{newKey.lines}</h3>
        {Object.entries(readyLines(me, key.tenantId, secret)).map(([name, lines]) => (
          <details key={name}>
            <summary>{newKey.for[name as keyof typeof newKey.for]}</summary>
            <div className="stack-tight">
              <pre className="lines">{lines}</pre>
              <div>
                <Copy text={lines} copied={stored} />
              </div>
            </div>
          </details>
        ))}
      </div>
      <div className="menu-foot">
        {!isStored && <span className="hint">{newKey.held}</span>}
        <button type="button" className="primary" disabled={!isStored} onClick={done}>
          {newKey.done}
        </button>
      </div>
    </Dialog>
  );
}

/** A key of the whole organization says with each request which tenant it reads. */
function readyLines({ api, tenants }: Me, tenantId: string | null, secret: string): Record<string, string> {
  const selected = tenantId === null ? { 'X-Tenant-Id': tenants[0]?.id ?? '' } : {};
  const headers = { Authorization: `Bearer ${secret}`, ...selected };
  const server = { type: 'http', url: api.mcpUrl, headers };
  return {
    curl: `curl ${Object.entries(headers)
      .map(([name, value]) => `-H '${name}: ${value}'`)
      .join(' ')} '${api.baseUrl}/ping'`,
    env: [`TENANTSCOPE_API_KEY=${secret}`, `TENANTSCOPE_URL=${api.baseUrl}`].join('\n'),
    mcp: JSON.stringify({ mcpServers: { tenantscope: server } }, null, 2),
  };
}
