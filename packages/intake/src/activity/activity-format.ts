import type { JsonObject } from '../json/value.ts';
import type { RawFormat } from '../message/raw-message.ts';
import type { Activity } from './activity.ts';

/** How one format is read: pure functions of the payload alone. */
export interface ActivityFormat extends RawFormat {
  /** Part of the hash that makes an id: records of two families are never one row. */
  readonly family: string;
  readonly normalise: (record: JsonObject, index: number) => Activity;
}
