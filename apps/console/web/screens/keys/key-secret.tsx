import { useState } from 'react';
import type { CurrentSession } from '../../../api/current-session.ts';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import type { CreatedKey } from '../../../api/keys.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { useLabels } from '../../labels/language.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useLeaveGuard } from '../../parts/leave-guard.ts';
import { Status } from '../../parts/status.tsx';

/** Shows the secret once. It is stored only in the state of this component. */
export function KeySecret({ of: { key, secret, test }, done }: { of: CreatedKey; done: () => void }) {
  const { newKey } = useLabels();
  const { api, tenants } = useCurrentUser();
  const [tenantId, setTenantId] = useState(key.tenantId === null ? (tenants[0]?.id ?? null) : null);
  const [isStored, setStored] = useState(false);
  useLeaveGuard(!isStored, newKey.leaveWarning);
  const stored = () => setStored(true);
  return (
    <Dialog title={newKey.secretTitle} close={done} isPersistent={!isStored}>
      <p>{newKey.secretHelp}</p>
      <code className="secret">{secret}</code>
      <div className="row apart">
        <CopyButton text={secret} copied={stored} />
        <label className="tick">
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
          {newKey.stored}
        </label>
      </div>
      <KeyTestResult of={test} />
      {key.tenantId === null && tenants.length > 1 && (
        <label className="field">
          <span>{newKey.snippetTenant}</span>
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
        <h3>{newKey.readyToUse}</h3>
        {Object.entries(clientSnippets(api, tenantId, secret)).map(([name, lines]) => (
          <details key={name}>
            <summary>{newKey.snippets[name as keyof typeof newKey.snippets]}</summary>
            <div className="stack-tight">
              <pre className="lines">{lines}</pre>
              <div>
                <CopyButton text={lines} copied={stored} />
              </div>
            </div>
          </details>
        ))}
      </div>
      <div className="menu-foot">
        {!isStored && <span className="hint">{newKey.storeFirst}</span>}
        <button type="button" className="primary" disabled={!isStored} onClick={done}>
          {newKey.done}
        </button>
      </div>
    </Dialog>
  );
}

const tenantsShown = 5;

/** The result of the test request with the new key. */
function KeyTestResult({ of: test }: { of: CreatedKey['test'] }) {
  const { newKey, keys } = useLabels();
  if (test === null) return <Status level="warn">{newKey.testFailed}</Status>;
  if (test.status !== 200) return <Status level="bad">{newKey.testRejected(test.status)}</Status>;
  const { tenants, scopes } = test;
  const rest = tenants.length - tenantsShown;
  const names = [
    ...tenants.slice(0, tenantsShown).map(escapeInvisible),
    ...(rest > 0 ? [keys.andMore(rest)] : []),
  ].join(', ');
  return <Status level="good">{newKey.test(test.status, names, keys.scopes(scopes.length))}</Status>;
}

/** A key of the whole organization names the tenant in each request. */
function clientSnippets(
  api: CurrentSession['api'],
  tenantId: string | null,
  secret: string,
): Record<'curl' | 'env' | 'mcp', string> {
  const selected = tenantId === null ? {} : { 'X-Tenant-Id': tenantId };
  const headers = { Authorization: `Bearer ${secret}`, ...selected };
  const server = { type: 'http', url: api.mcpUrl, headers };
  return {
    curl: `curl ${Object.entries(headers)
      .map(([name, value]) => `-H '${name}: ${value}'`)
      .join(' ')} '${api.baseUrl}/ping'`,
    // Clients read these two; the tenant of an organization's key is an argument of each.
    env: `TENANTSCOPE_URL=${api.baseUrl}\nTENANTSCOPE_KEY=${secret}`,
    mcp: JSON.stringify({ mcpServers: { tenantscope: server } }, null, 2),
  };
}
