import type { ListedCollector } from '@tenantscope/store/admin';
import type { Installation } from '../installation/installation.ts';

type ListedStream = ListedCollector['streams'][number];

/** The first stream of a collector, as the command line lists it. */
export async function readStream(installation: Installation, id: string): Promise<ListedStream | undefined> {
  return (await installation.admin.collectors.list(null)).find((one) => one.id === id)?.streams[0];
}
