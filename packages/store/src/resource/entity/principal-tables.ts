/** The tables of the entities that may act. */
export const principalTables = [
  { kind: 'user', table: 'models.entity_user' },
  { kind: 'agent', table: 'models.entity_agent' },
  { kind: 'app', table: 'models.entity_app' },
] as const;
