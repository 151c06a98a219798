import type { Addresses } from '@tenantscope/local';

/** Services that a test run uses, in processes, in containers or external. */
export type Services = Addresses & AsyncDisposable;
