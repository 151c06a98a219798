export { checkout, stateDirectory } from './checkout.ts';
export { freePort } from './ports.ts';
export { type DatabaseUrls, provisionDatabase } from './provision.ts';
export type { RunningService, ServiceName } from './service.ts';
export { type Addresses, type LocalServices, type ServicesOptions, startServices } from './services.ts';
