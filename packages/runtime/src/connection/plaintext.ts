import { isIP } from 'node:net';
import { z } from 'zod';
import { commaList, variable } from '../config/variables.ts';

const stores = ['kafka', 'postgres', 'redis'] as const;
export type Store = (typeof stores)[number];

/** Declared by every process that uses a store. */
export const plaintextVariables = {
  TENANTSCOPE_ALLOW_PLAINTEXT: variable(
    `Comma list of stores (${stores.join(', ')}) that may be outside loopback without TLS.`,
    commaList()
      .pipe(z.array(z.enum(stores, `must be a comma list of ${stores.join(', ')}`)))
      .default([]),
  ),
};

/** The problem of an address that is outside loopback and used without TLS, unless TENANTSCOPE_ALLOW_PLAINTEXT names the store; else null. */
export function checkPlaintext(store: Store, host: string, config: Readonly<Record<string, unknown>>): string | null {
  const allowed = (config.TENANTSCOPE_ALLOW_PLAINTEXT ?? []) as readonly string[];
  if (isLoopback(host) || allowed.includes(store)) return null;
  const enable = {
    kafka: 'TENANTSCOPE_KAFKA_SSL=on',
    postgres: 'TENANTSCOPE_POSTGRES_SSL=on',
    redis: 'rediss:// as scheme',
  };
  return `${host} is not on loopback and TLS is off; set ${enable[store]}, or name ${store} in TENANTSCOPE_ALLOW_PLAINTEXT`;
}

/** 127.0.0.0/8, ::1 and names below localhost, which browsers resolve to themselves. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || bare === 'localhost' || bare.endsWith('.localhost');
}
