import { join } from 'node:path';

/** The root of the checkout this code runs in. */
export const checkout = join(import.meta.dirname, '..', '..', '..');

/** Everything a checkout keeps between runs and git ignores. */
export const stateDirectory = join(checkout, '.tenantscope');
