import { join } from 'node:path';

/** The root of the checkout this code runs in. */
export const checkout = join(import.meta.dirname, '..', '..', '..');

/** What a run keeps and tells: its services' data, `state.json`, `environment.json`. */
export const stateDirectory = process.env.TENANTSCOPE_STATE_DIRECTORY || join(checkout, '.tenantscope');

/** What can be fetched again. */
export const cacheDirectory = join(checkout, '.tenantscope', 'cache');
