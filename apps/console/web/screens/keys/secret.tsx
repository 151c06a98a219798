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
  const { newKey } = useWords();
  const { api, tenants } = useMe();
  const [tenantId, setTenantId] = useState(key.tenantId === null ? (tenants[0]?.id ?? null) : null);
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
      <Tested of={test} />
      {key.tenantId === null && tenants.length > 1 && (
        <label className="field">
          <span>{newKey.linesFor}</span>
          <select value={tenantId ?? ''} onChange={({ target }) => setTenantId(target.value)}>
            {tenants.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <div className="stack-tight">
        <h3>{newKey.lines}</h3>
        {Object.entries(readyLines(api, tenantId, secret)).map(([name, lines]) => (
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

const tenantsShown = 5;

/** What the api itself says that the key sees. */
function Tested({ of: test }: { of: MadeKey['test'] }) {
  const { newKey, keys } = useWords();
  if (test === null) return <Status standing="warn">{newKey.testFailed}</Status>;
  if (test.status !== 200) return <Status standing="bad">{newKey.testRefused(test.status)}</Status>;
  const { tenants, scopes } = test;
  const rest = tenants.length - tenantsShown;
  const names = [...tenants.slice(0, tenantsShown), ...(rest > 0 ? [keys.more(rest)] : [])].join(', ');
  return <Status standing="good">{newKey.test(test.status, names, keys.scopes(scopes.length))}</Status>;
}

/** A key of the whole organization says with each request which tenant it reads. */
function readyLines(api: Me['api'], tenantId: string | null, secret: string): Record<'curl' | 'env' | 'mcp', string> {
  const selected = tenantId === null ? {} : { 'X-Tenant-Id': tenantId };
  const headers = { Authorization: `Bearer ${secret}`, ...selected };
  const server = { type: 'http', url: api.mcpUrl, headers };
  return {
    curl: `curl ${Object.entries(headers)
      .map(([name, value]) => `-H '${name}: ${value}'`)
      .join(' ')} '${api.baseUrl}/ping'`,
    env: [
      `TENANTSCOPE_URL=${api.baseUrl}`,
      `TENANTSCOPE_KEY=${secret}`,
      ...(tenantId === null ? [] : [`TENANTSCOPE_TENANT_ID=${tenantId}`]),
    ].join('\n'),
    mcp: JSON.stringify({ mcpServers: { tenantscope: server } }, null, 2),
  };
}
