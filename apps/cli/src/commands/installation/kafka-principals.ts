/** The users of the broker, as in docs/operations/kafka-acls.md. The admin is a superuser, which only sets the rights of the others. */
export const kafkaPrincipals = {
  admin: 'tenantscope-admin',
  ingest: 'tenantscope-ingest',
  jobs: 'tenantscope-jobs',
  collect: 'tenantscope-collect',
  operator: 'tenantscope-operator',
} as const;
