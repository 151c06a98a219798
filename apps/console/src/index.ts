export { type ConsoleConfig, consoleConfig } from './config.ts';
export { contentPolicy } from './policy.ts';
export type { Route } from './route.ts';
export { routes } from './routes.ts';
export { type RunningConsole, startConsole } from './start.ts';
