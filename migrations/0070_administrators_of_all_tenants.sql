-- schemas: control
--
-- As before, and the last administrator of all tenants cannot be limited to some: others cannot change members. Before, two who limited each
-- other at the same time both succeeded, since only the console compared them.

create or replace function control.require_remaining_admin() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if old.role = 'admin' and old.disabled_at is null
     and (new.role <> 'admin' or new.disabled_at is not null or new.organization_id <> old.organization_id
          or old.tenant_ids is null and new.tenant_ids is not null) then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise insufficient_privilege using message = 'administrators can be changed in read committed transactions only';
    end if;
    perform from control.organization o where o.id = old.organization_id for update;
    if not exists (
      select from control.member m
       where m.organization_id = old.organization_id and m.id <> old.id and m.role = 'admin' and m.disabled_at is null
         and (m.tenant_ids is null or old.tenant_ids is not null)) then
      raise insufficient_privilege using message = 'the last administrator of an organization cannot be removed or limited to some tenants: add another one of all tenants first';
    end if;
  end if;
  return new;
end $$;
