export type { Route } from '../api/route.ts';
export { type ConsoleConfig, consoleConfig } from './config.ts';
export { routes } from './handlers.ts';
export { publicRoutes } from './sign-in/handlers.ts';
export { type RunningConsole, startConsole } from './start.ts';
