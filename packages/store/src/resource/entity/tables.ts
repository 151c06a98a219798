import type { EntityKind } from '@tenantscope/contract';
import type { RecordTable } from '../../ingest/record/record-batch.ts';
import { agentTable } from './agent.ts';
import { appTable } from './app.ts';
import { deviceTable } from './device.ts';
import { emailTable } from './email.ts';
import { fileTable } from './file.ts';
import { groupTable } from './group.ts';
import { licenseTable } from './license.ts';
import { sensitiveInfoTypeTable } from './sensitive-info-type.ts';
import { siteTable } from './site.ts';
import { userTable } from './user.ts';

export const entityTables: Readonly<Record<EntityKind, RecordTable>> = {
  user: userTable,
  agent: agentTable,
  file: fileTable,
  group: groupTable,
  site: siteTable,
  app: appTable,
  device: deviceTable,
  email: emailTable,
  license: licenseTable,
  sensitiveInfoType: sensitiveInfoTypeTable,
};
