import type { JsonObject } from '../json/value.ts';
import type { RawFormat } from '../message/raw-message.ts';
import type { Rejection } from '../message/rejection.ts';
import type { Alert } from './alert.ts';

/** How one format is read: pure functions of the payload alone. */
export interface AlertFormat extends RawFormat {
  /** Reads `SplitRecord.record` and uses nothing beyond its content: one content is one state. */
  readonly normalise: (record: JsonObject) => Alert | Rejection;
}
