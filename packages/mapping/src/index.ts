export { toOcsfAlert } from './ocsf/alert.ts';
export { toOcsfDetection } from './ocsf/detection.ts';
export { type OcsfEvent, ocsfVersion } from './ocsf/event.ts';
export { toOcsfLog } from './ocsf/log.ts';
