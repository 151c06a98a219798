import type { CollectorProviderName } from '@tenantscope/contract';
import { google } from './google/google.ts';
import { graph } from './graph/graph.ts';
import { o365 } from './o365.ts';
import { okta } from './okta.ts';
import type { Provider } from './provider.ts';

/** The module of each provider. */
export const providers: Readonly<Record<CollectorProviderName, Provider>> = { google, graph, o365, okta };
