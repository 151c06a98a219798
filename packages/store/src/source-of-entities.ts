import type { EntityKind } from '@tenantscope/contract';

/** The name under which it is told how far the entities of a kind have come. */
export const sourceOfEntities: Readonly<Record<EntityKind, string>> = {
  user: 'users',
  agent: 'agents',
  file: 'files',
  group: 'groups',
  site: 'sites',
  app: 'apps',
  device: 'devices',
  email: 'emails',
  license: 'licenses',
  sensitiveInfoType: 'sensitive_info_types',
};
