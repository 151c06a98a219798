import { type Resource, readRecordPage } from '@tenantscope/store';
import type { ListSource } from './list.ts';

/** A list of mutable records, by its resource. */
export const recordSource = (resource: Resource): ListSource => ({
  feed: resource.feed,
  ages: false,
  read: (models, query) => readRecordPage(models, resource, query),
});
