export type { Agent, App, Company, File, Person, Site } from './company.ts';
export { demoHistory } from './demo-history.ts';
export type { DemoRecord } from './demo-record.ts';
export { demoRecords } from './demo-records.ts';
export { type DemoState, messagesOf } from './demo-state.ts';
export { demoStream } from './demo-stream.ts';
export { type DemoTenant, demoTenants } from './demo-tenants.ts';
export type { Device } from './devices.ts';
export { publishDemo, publishDemoStream } from './publish-demo.ts';
