import { pageMaxBytes } from '@tenantscope/contract';
import { type Resource, readRecordPage } from '@tenantscope/store/read';
import type { ListSource } from './list.ts';
import type { RowViews } from './row-view.ts';

/** Reads the pages of a mutable resource. */
export const createRecordSource = (resource: Resource, views?: RowViews): ListSource => ({
  feed: resource.feed,
  hasRetention: false,
  ...(views ? { views } : {}),
  read: (models, query) =>
    query.runStatement(() => readRecordPage(models, resource, { ...query, maxBytes: pageMaxBytes })),
});
