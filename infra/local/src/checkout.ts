import { join } from 'node:path';

/** The root of the checkout this code runs in. */
export const checkout = join(import.meta.dirname, '..', '..', '..');

/** The directory of a run: its services' data, `state.json`, `environment.json`. */
export const stateDirectory = process.env.TENANTSCOPE_STATE_DIRECTORY || join(checkout, '.tenantscope');

/** Files that can be downloaded again. */
export const cacheDirectory = join(checkout, '.tenantscope', 'cache');
