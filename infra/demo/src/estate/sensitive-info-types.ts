import { type DemoState, shown } from '../demo-state.ts';
import type { InfoType } from '../info-types.ts';
import {
  agentsReading,
  appsReading,
  filesWith,
  infoIn,
  isProtected,
  ownerOf,
  restrictionOf,
  sharingOf,
} from './file-facts.ts';
import { entityState, type Picture } from './picture.ts';
import { restrictionsOf } from './restrictions.ts';

export function infoTypeState(picture: Picture, type: InfoType): DemoState {
  const { company } = picture;
  const { id, name, isCustom } = type;
  const files = filesWith(company, type);
  const sites = [...new Set(files.map((file) => file.site))];
  const labels = [...new Set(files.map(({ label }) => label))].filter((label) => label !== null);
  const guests = new Set(files.flatMap((file) => sharingOf(company, file).guests));
  const level = restrictionOf(type);
  const restriction = restrictionsOf(company, picture.atMs).find((one) => one.type === type);
  const steps = restriction?.steps ?? [];
  const declarer = level === 'none' ? null : (restriction?.by ?? null);
  const apps = new Set(files.flatMap((file) => appsReading(company, file)));
  const agents = new Set(files.flatMap((file) => agentsReading(company, file)));
  return entityState(picture, 'sensitiveInfoType', id, {
    name,
    description: isCustom ? `How ${company.plan.name} writes it.` : `Detects ${name}.`,
    publisher: isCustom ? company.plan.name : 'Microsoft Corporation',
    isCustom,
    kind: type.kind,
    recommendedConfidence: type.confidence,
    fileCount: files.length,
    emailCount: picture.mails.filter(({ matched }) => matched !== null).length > 0 && name.startsWith('Credit') ? 3 : 0,
    instanceCount: files
      .flatMap((file) => infoIn(company, file))
      .filter((found) => found.type.id === id)
      .reduce((sum, { count }) => sum + count, 0),
    siteCount: sites.length,
    exposedUserCount: new Set(files.map((file) => ownerOf(company, file))).size,
    externalUserCount: guests.size,
    aiAppCount: apps.size,
    agentCount: agents.size,
    protectedFileCount: files.filter(isProtected).length,
    restrictionLevel: level,
    restrictedById: declarer?.id ?? null,
    restrictedByName: declarer?.displayName ?? null,
    restrictedAt: declarer === null || steps[0] === undefined ? null : shown(steps[0].atMs),
    topSites: sites.map((site) => ({
      id: site.id,
      name: site.name,
      fileCount: files.filter((file) => file.site === site).length,
    })),
    labels: labels.map((label) => ({
      id: files.find((file) => file.label === label)?.labelId ?? null,
      name: label,
      fileCount: files.filter((file) => file.label === label).length,
    })),
    restrictionHistory: steps.map((step) => ({
      event: step.event,
      level: step.to ?? 'none',
      occurredAt: shown(step.atMs),
      actorId: restriction?.by.id ?? null,
      actorName: restriction?.by.displayName ?? null,
    })),
    readers:
      declarer === null
        ? null
        : { users: files.length, externalUsers: guests.size, aiApps: apps.size, agents: agents.size },
  });
}
