export { alertFields, toEcsAlert } from './ecs/alert.ts';
export { listCategories } from './ecs/categories.ts';
export { detectionFields, toEcsDetection } from './ecs/detection.ts';
export { type EcsDocument, type EcsFields, ecsRemainder, ecsVersion } from './ecs/fields.ts';
export { logFields, toEcsLog } from './ecs/log.ts';
export { toOcsfAlert } from './ocsf/alert.ts';
export { toOcsfDetection } from './ocsf/detection.ts';
export { type OcsfEvent, ocsfVersion } from './ocsf/event.ts';
export { toOcsfLog } from './ocsf/log.ts';
