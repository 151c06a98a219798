-- schemas: control
--
-- What each api process knows of a failover: which standbys may be promoted, how far they are, and what a promotion would change. Null without standbys.

alter table control.process add column failover jsonb;
grant insert (failover), update (failover) on control.process to tenantscope_keys;
