import { listLogs } from './logs.ts';
import { listTenants, pingKey } from './session.ts';

/** Everything that can be asked, in the order of the documentation. Nothing is registered anywhere else. */
export const operations = [pingKey, listTenants, listLogs] as const;

export type OperationName = (typeof operations)[number]['name'];
export type OperationNamed<Name extends OperationName> = Extract<(typeof operations)[number], { name: Name }>;
