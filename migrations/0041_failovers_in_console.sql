-- schemas: control
--
-- The console shows what each api process knows of a failover.

create policy failovers on control.process for select to tenantscope_console using (app = 'api');
