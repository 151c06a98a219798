-- schemas: models
--
-- Since when an account is out of use, or at high risk, as the facts of entities have it from now on. Of an account without a reported time of disabling, activity after that
-- counted only since the last change of its record, and a risk began again with each detection.
alter table models.user_fact
  add column out_since  timestamptz, -- null: since updated_at, where the account is out of use
  add column risk_since timestamptz; -- null: since risk_updated_at, where it is at high risk

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
         case when jsonb_typeof(j."licenseSkus") = 'array' then j."licenseSkus" end,
         models.parse_time(j."outSince"), models.parse_time(j."riskSince")
    from unnest(tenants, ids) as requested (tenant_id, id)
    join models.entity_fact e on e.tenant_id = requested.tenant_id and e.kind = 'user' and e.id = requested.id
   cross join lateral jsonb_to_record(e.facts) as j (
           "userType" text, "isExternal" jsonb, "accountEnabled" jsonb, "isAdmin" jsonb, "employeeType" text, "mfaRegistered" jsonb, "hasCopilotLicense" jsonb,
           "createdAt" text, "lastSignInAt" text, "lastNonInteractiveSignInAt" text, "disabledAt" text, "deletedAt" text, "riskLevel" text, "riskState" text,
           "riskUpdatedAt" text, "methodsRegistered" jsonb, roles jsonb, "roleAssignments" jsonb, "licenseSkus" jsonb, "outSince" text, "riskSince" text);
end;

create or replace function models.write_user_facts(tenants uuid[], ids text[]) returns void
  language sql set search_path = pg_catalog, pg_temp
begin atomic
  insert into models.user_fact as f
  select w.* from models.derive_user_facts(tenants, ids) w order by w.tenant_id, w.id
  on conflict (tenant_id, id) do update
    set is_deleted = excluded.is_deleted, updated_at = excluded.updated_at, user_type = excluded.user_type, is_external = excluded.is_external,
        is_enabled = excluded.is_enabled, is_admin = excluded.is_admin, is_service = excluded.is_service, has_mfa = excluded.has_mfa,
        has_copilot_license = excluded.has_copilot_license, created_at = excluded.created_at, signed_in_at = excluded.signed_in_at,
        disabled_at = excluded.disabled_at, deleted_at = excluded.deleted_at, risk_level = excluded.risk_level, risk_state = excluded.risk_state,
        risk_updated_at = excluded.risk_updated_at, methods = excluded.methods, roles = excluded.roles, role_assignments = excluded.role_assignments,
        license_skus = excluded.license_skus, out_since = excluded.out_since, risk_since = excluded.risk_since
    where f is distinct from excluded;
end;
