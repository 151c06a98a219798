import { Link } from '@tanstack/react-router';
import { type ToggleEvent, useRef, useState } from 'react';
import { useLabels } from '../labels/language.tsx';
import { useCurrentUser, useTenant } from './current-user.ts';
import { rankMatches } from './palette/search-rank.ts';
import { selectTenant } from './tenant-search.ts';

/** The list has a search field from this many tenants. */
const minSearchableTenants = 11;
/** More are found by the search field: each link follows the URL, and thousands of them delay every navigation. */
const maxShown = 100;

/** Selects the tenant of all screens. It is part of the URL, so that a shared link shows the same data. */
export function TenantSwitch() {
  const { frame } = useLabels();
  const { organization, tenants } = useCurrentUser();
  const chosen = useTenant();
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  if (tenants.length < 2) return <p className="organization">{organization.name}</p>;
  const found = rankMatches(
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
        <span className="switch-label">
          <span className="small muted">{organization.name}</span>
          <span>
            <span className="hidden">{frame.tenant}: </span>
            {chosen?.name ?? frame.allTenants}
          </span>
        </span>
      </button>
      <div ref={list} id="tenants" popover="auto" className="float" onToggle={toggle}>
        {tenants.length >= minSearchableTenants && (
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
                search={selectTenant(undefined)}
                activeProps={{}}
                aria-current={chosen ? undefined : 'true'}
                onClick={close}
              >
                {frame.allTenants}
              </Link>
            </li>
          )}
          {found.slice(0, maxShown).map(({ id, name, azureTenantId }) => (
            <li key={id}>
              <Link
                to="."
                search={selectTenant(id)}
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
        {found.length > maxShown && <p className="muted">{frame.moreTenants(found.length - maxShown)}</p>}
        {found.length === 0 && (
          <p className="muted" role="status">
            {frame.noTenant}
          </p>
        )}
      </div>
    </div>
  );
}
