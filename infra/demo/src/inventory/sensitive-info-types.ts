import { type DemoState, formatInstant } from '../demo-state.ts';
import type { InfoType } from '../info-types.ts';
import {
  deriveSharing,
  findFileOwner,
  findRestriction,
  findSensitiveInfo,
  isProtected,
  listFilesContaining,
  listReadingAgents,
  listReadingApps,
} from './file-attributes.ts';
import { createEntityState, type InventorySnapshot } from './inventory-snapshot.ts';
import { listRestrictions } from './restrictions.ts';

export function createInfoTypeState(snapshot: InventorySnapshot, type: InfoType): DemoState {
  const { company } = snapshot;
  const { id, name, isCustom } = type;
  const files = listFilesContaining(company, type);
  const sites = [...new Set(files.map((file) => file.site))];
  const labels = [...new Set(files.map(({ label }) => label))].filter((label) => label !== null);
  const guests = new Set(files.flatMap((file) => deriveSharing(company, file).guests));
  const level = findRestriction(type);
  const restriction = listRestrictions(company, snapshot.atMs).find((one) => one.type === type);
  const steps = restriction?.steps ?? [];
  const declarer = level === 'none' ? null : (restriction?.by ?? null);
  const apps = new Set(files.flatMap((file) => listReadingApps(company, file)));
  const agents = new Set(files.flatMap((file) => listReadingAgents(company, file)));
  return createEntityState(snapshot, 'sensitiveInfoType', id, {
    name,
    description: isCustom ? `How ${company.plan.name} writes it.` : `Detects ${name}.`,
    publisher: isCustom ? company.plan.name : 'Microsoft Corporation',
    isCustom,
    kind: type.kind,
    recommendedConfidence: type.confidence,
    fileCount: files.length,
    emailCount:
      snapshot.mails.filter(({ matched }) => matched !== null).length > 0 && name.startsWith('Credit') ? 3 : 0,
    instanceCount: files
      .flatMap((file) => findSensitiveInfo(company, file))
      .filter((found) => found.type.id === id)
      .reduce((sum, { count }) => sum + count, 0),
    siteCount: sites.length,
    exposedUserCount: new Set(files.map((file) => findFileOwner(company, file))).size,
    externalUserCount: guests.size,
    aiAppCount: apps.size,
    agentCount: agents.size,
    protectedFileCount: files.filter(isProtected).length,
    restrictionLevel: level,
    restrictedById: declarer?.id ?? null,
    restrictedByName: declarer?.displayName ?? null,
    restrictedAt: declarer === null || steps[0] === undefined ? null : formatInstant(steps[0].atMs),
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
      occurredAt: formatInstant(step.atMs),
      actorId: restriction?.by.id ?? null,
      actorName: restriction?.by.displayName ?? null,
    })),
    readers:
      declarer === null
        ? null
        : { users: files.length, externalUsers: guests.size, aiApps: apps.size, agents: agents.size },
  });
}
