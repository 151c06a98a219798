import { Link } from '@tanstack/react-router';
import { type ToggleEvent, useRef, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { foundAmong } from './found.ts';
import { useMe, useTenant } from './signed.ts';
import { narrowedTo } from './tenant-search.ts';

/** From so many on the list is searched rather than read. */
const searchedFrom = 11;

/** Whose data all screens show. The address says it too, so that a link shows a colleague the same. */
export function TenantSwitch() {
  const { frame } = useWords();
  const { organization, tenants } = useMe();
  const chosen = useTenant();
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  if (tenants.length < 2) return <p className="organization">{organization.name}</p>;
  const found = foundAmong(
    typed,
    tenants.map((tenant) => ({ ...tenant, label: tenant.name, hint: `${tenant.id} ${tenant.azureTenantId ?? ''}` })),
  );
  const close = () => list.current?.hidePopover();
  const toggle = ({ newState }: ToggleEvent<HTMLDivElement>) => {
    if (newState === 'open') list.current?.querySelector<HTMLElement>('input, [aria-current]')?.focus();
    else setTyped('');
  };
  return (
    <div className="switch">
      <button type="button" className="switch-button" popoverTarget="tenants">
        <span className="switch-words">
          <span className="small muted">{organization.name}</span>
          <span>
            <span className="hidden">{frame.tenant}: </span>
            {chosen?.name ?? frame.allTenants}
          </span>
        </span>
      </button>
      <div ref={list} id="tenants" popover="auto" className="float" onToggle={toggle}>
        {tenants.length >= searchedFrom && (
          <input
            type="search"
            aria-label={frame.findTenant}
            placeholder={frame.findTenant}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
        <ul className="float-list">
          {typed === '' && (
            <li>
              <Link
                to="."
                search={narrowedTo(undefined)}
                activeProps={{}}
                aria-current={chosen ? undefined : 'true'}
                onClick={close}
              >
                {frame.allTenants}
              </Link>
            </li>
          )}
          {found.map(({ id, name, azureTenantId }) => (
            <li key={id}>
              <Link
                to="."
                search={narrowedTo(id)}
                activeProps={{}}
                aria-current={id === chosen?.id ? 'true' : undefined}
                onClick={close}
              >
                {name}
                <span className="ids">
                  {frame.serviceId} <code>{id}</code>
                </span>
                {azureTenantId && (
                  <span className="ids">
                    {frame.entraId} <code>{azureTenantId}</code>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
        {found.length === 0 && (
          <p className="muted" role="status">
            {frame.noTenant}
          </p>
        )}
      </div>
    </div>
  );
}
