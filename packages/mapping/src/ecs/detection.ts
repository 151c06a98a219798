import type { Detection } from '@tenantscope/contract';
import { findingCategories, findingTypes } from './categories.ts';
import { type EcsFields, ecsVersion, mapToEcs } from './fields.ts';
import { listTexts, rateSeverity, severityNote } from './values.ts';

/** The id or name of the entity, if it is of the kind. */
const ofEntity = (type: string, member: 'id' | 'name') => ({
  note: `\`entity.${member}\` of \`entity.type\` ${type}`,
  read: ({ entity }: Detection) => (entity?.type === type ? entity[member] : null),
});

const readScore = ({ details }: Detection) => (details as { score?: number | null } | null)?.score;

/** Every field of a state of a detection. */
export const detectionFields: EcsFields<Detection> = {
  '@timestamp': 'updatedAt',
  message: 'summary',
  'ecs.version': { note: ecsVersion, read: () => ecsVersion },
  'event.kind': { note: '`alert`', read: () => 'alert' },
  'event.category': { note: 'see below', read: () => findingCategories },
  'event.type': { note: 'see below', read: () => findingTypes },
  'event.module': { note: '`tenantscope`', read: () => 'tenantscope' },
  'event.dataset': { note: '`tenantscope.detections`', read: () => 'tenantscope.detections' },
  'event.id': 'id',
  'event.start': 'openedAt',
  'event.end': 'lastSeenAt',
  'event.severity': { note: severityNote, read: ({ severity }) => rateSeverity(severity) },
  'event.risk_score': { note: '`details.score`', read: readScore },
  'organization.id': 'tenantId',
  'rule.id': { note: '`detector.id`', read: ({ detector }) => detector?.id },
  'rule.name': { note: '`detector.name`', read: ({ detector }) => detector?.name },
  'rule.category': 'kind',
  'entity.id': { note: '`entity.id`', read: ({ entity }) => entity?.id },
  'entity.name': { note: '`entity.name`', read: ({ entity }) => entity?.name },
  'user.id': ofEntity('user', 'id'),
  'user.name': ofEntity('user', 'name'),
  'group.id': ofEntity('group', 'id'),
  'group.name': ofEntity('group', 'name'),
  'device.id': ofEntity('device', 'id'),
  'host.name': ofEntity('device', 'name'),
  'file.name': ofEntity('file', 'name'),
  'gen_ai.agent.id': ofEntity('agent', 'id'),
  'gen_ai.agent.name': ofEntity('agent', 'name'),
  'related.user': {
    note: '`user.id`, `user.name`',
    read: ({ entity }) => (entity?.type === 'user' ? listTexts([entity.id, entity.name]) : null),
  },
  'related.hosts': {
    note: '`host.name`, `device.id`',
    read: ({ entity }) => (entity?.type === 'device' ? listTexts([entity.name, entity.id]) : null),
  },
};

/** A detection as a document of ECS, each of its states one. */
export const toEcsDetection = mapToEcs(detectionFields);
