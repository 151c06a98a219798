import { type Resource, readRecordPage } from '@tenantscope/store/read';
import type { ListSource } from './list.ts';

/** Reads the pages of a mutable resource. */
export const createRecordSource = (resource: Resource): ListSource => ({
  feed: resource.feed,
  hasRetention: false,
  read: (models, query) => query.runStatement(() => readRecordPage(models, resource, query)),
});
