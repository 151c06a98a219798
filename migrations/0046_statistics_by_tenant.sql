-- schemas: models
--
-- Rows of one kind by tenant. Without them the planner takes the share of a tenant of all rows for its share of each kind: of a tenant with 75 % of 8.7
-- million counts it read one million by their age to find its 43,000 of a kind, in 0.86 s instead of 0.22.

create statistics models.log_tally_of_tenant (mcv) on tenant_id, tally from models.log_tally;
create statistics models.entity_fact_of_tenant (mcv) on tenant_id, kind from models.entity_fact;
create statistics models.entity_alias_of_tenant (mcv) on tenant_id, kind from models.entity_alias;
