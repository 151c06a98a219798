export { type ApiConfig, apiConfig } from './config.ts';
export { type Api, startApi } from './start.ts';
