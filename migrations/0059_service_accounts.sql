-- schemas: models
--
-- Service accounts are recognized: the employee type of a user was in its document but not in its facts, by which rules judge. A type such as "Customer service" is that of a
-- person.
create or replace function models.derive_user_facts(tenants uuid[], ids text[]) returns setof models.user_fact
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select e.tenant_id, e.id, e.is_deleted, e.updated_at, j."userType",
         case when jsonb_typeof(j."isExternal") = 'boolean' then j."isExternal"::boolean end,
         case when jsonb_typeof(j."accountEnabled") = 'boolean' then j."accountEnabled"::boolean end,
         case when jsonb_typeof(j."isAdmin") = 'boolean' then j."isAdmin"::boolean end,
         coalesce(j."employeeType" ~* '^service$|service[ _-]?account' or j.roles = '["Directory Synchronization Accounts"]', false),
         case when jsonb_typeof(j."mfaRegistered") = 'boolean' then j."mfaRegistered"::boolean end,
         case when jsonb_typeof(j."hasCopilotLicense") = 'boolean' then j."hasCopilotLicense"::boolean end,
         models.parse_time(j."createdAt"), greatest(models.parse_time(j."lastSignInAt"), models.parse_time(j."lastNonInteractiveSignInAt")),
         models.parse_time(j."disabledAt"), models.parse_time(j."deletedAt"), j."riskLevel", j."riskState", models.parse_time(j."riskUpdatedAt"),
         case when jsonb_typeof(j."methodsRegistered") = 'array' then j."methodsRegistered" end,
         case when jsonb_typeof(j.roles) = 'array' then j.roles end,
         case when jsonb_typeof(j."roleAssignments") = 'array' then j."roleAssignments" end,
         case when jsonb_typeof(j."licenseSkus") = 'array' then j."licenseSkus" end
    from unnest(tenants, ids) as requested (tenant_id, id)
    join models.entity_fact e on e.tenant_id = requested.tenant_id and e.kind = 'user' and e.id = requested.id
   cross join lateral jsonb_to_record(e.facts) as j (
           "userType" text, "isExternal" jsonb, "accountEnabled" jsonb, "isAdmin" jsonb, "employeeType" text, "mfaRegistered" jsonb, "hasCopilotLicense" jsonb,
           "createdAt" text, "lastSignInAt" text, "lastNonInteractiveSignInAt" text, "disabledAt" text, "deletedAt" text, "riskLevel" text, "riskState" text,
           "riskUpdatedAt" text, "methodsRegistered" jsonb, roles jsonb, "roleAssignments" jsonb, "licenseSkus" jsonb);
end;

-- Stored users get the type of their documents in the same steps as before.
create or replace function models.backfill_user_facts(max_rows integer default 2000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  position_key text;
  of_tenant    uuid;
  ids          text[];
begin
  select next_key into position_key from models.log_tally_backfill where tally = 'user' and next_at is not null for update skip locked;
  if position_key is null then
    return false;
  end if;
  of_tenant := left(position_key, 36)::uuid;
  select array_agg(locked.id order by locked.id) into ids
    from (select e.id from models.entity_fact e where e.tenant_id = of_tenant and e.kind = 'user' and e.id > substring(position_key from 38)
           order by e.id limit max_rows for no key update) locked;
  if ids is not null then
    update models.entity_fact e set facts = e.facts || jsonb_build_object('employeeType', u.type)
      from (select u.id, u.detail::json -> 'employeeType' as type from models.entity_user u where u.tenant_id = of_tenant and u.id = any(ids)) u
     where e.tenant_id = of_tenant and e.kind = 'user' and e.id = u.id and json_typeof(u.type) <> 'null' and not e.facts ? 'employeeType';
    perform models.write_user_facts(array_fill(of_tenant, array[cardinality(ids)]), ids);
    position_key := of_tenant || '/' || ids[cardinality(ids)];
  else
    select e.tenant_id || '/' into position_key from models.entity_fact e where e.tenant_id > of_tenant order by e.tenant_id limit 1;
  end if;
  update models.log_tally_backfill set next_key = position_key, next_at = case when position_key is not null then next_at end where tally = 'user';
  return true;
end $$;

insert into models.log_tally_backfill (tally, until_at, next_at, next_key)
select 'user', clock_timestamp(), clock_timestamp(), '00000000-0000-0000-0000-000000000000/'
 where exists (select from models.entity_user)
    on conflict (tally) do update set until_at = excluded.until_at, next_at = excluded.next_at, next_key = excluded.next_key;
