import type { EntityKind } from '../record/vocabulary.ts';
import { getAgent, listAgents } from './agent.ts';
import { getApp, listApps } from './app.ts';
import { getDevice, listDevices } from './device.ts';
import { getEmail, listEmails } from './email.ts';
import { getFile, listFiles } from './file.ts';
import { getGroup, listGroups } from './group.ts';
import { getLicense, listLicenses } from './license.ts';
import { getSensitiveInfoType, listSensitiveInfoTypes } from './sensitive-info-type.ts';
import { getSite, listSites } from './site.ts';
import { getUser, listUsers } from './user.ts';

/** The two questions about each kind of entity. */
export const entities = {
  user: { list: listUsers, get: getUser },
  agent: { list: listAgents, get: getAgent },
  file: { list: listFiles, get: getFile },
  group: { list: listGroups, get: getGroup },
  site: { list: listSites, get: getSite },
  app: { list: listApps, get: getApp },
  device: { list: listDevices, get: getDevice },
  email: { list: listEmails, get: getEmail },
  license: { list: listLicenses, get: getLicense },
  sensitiveInfoType: { list: listSensitiveInfoTypes, get: getSensitiveInfoType },
} as const satisfies Record<EntityKind, unknown>;
