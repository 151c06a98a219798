export { type Connector, connectors } from './connectors.ts';
