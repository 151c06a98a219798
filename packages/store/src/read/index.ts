export { actions } from '../resource/action.ts';
export { detections } from '../resource/detection.ts';
export { agents } from '../resource/entity/agent.ts';
export { apps } from '../resource/entity/app.ts';
export { devices } from '../resource/entity/device.ts';
export { emails } from '../resource/entity/email.ts';
export { files } from '../resource/entity/file.ts';
export { groups } from '../resource/entity/group.ts';
export { licenses } from '../resource/entity/license.ts';
export { sensitiveInfoTypes } from '../resource/entity/sensitive-info-type.ts';
export { sites } from '../resource/entity/site.ts';
export { users } from '../resource/entity/user.ts';
export { notifications } from '../resource/notification.ts';
export { policyScans } from '../resource/policy-scan.ts';
export type { Resource } from '../resource/resource.ts';
export { securityAlerts } from '../resource/security-alert.ts';
export { type FeedFacts, readFeedFacts } from './feed-facts.ts';
export type { SealedBody } from './gzip-pieces.ts';
export type { LogsPage } from './log/document-frame.ts';
export { blockSearchStatement } from './log/log-block-search.ts';
export { readLogsPage } from './log/log-page.ts';
export {
  type LogsFilterValues,
  type LogsPageQuery,
  logFilterColumns,
  logsPageStatement,
} from './log/log-page-statement.ts';
export { readLogReceipts } from './log/log-receipts.ts';
export { identityStatement, type LogRecord, logRecordStatement, readLogRecord } from './log/log-record.ts';
export {
  type LogSummaryCounts,
  type LogSummaryGroup,
  type LogSummaryQuery,
  readLogSummary,
} from './log/log-summary.ts';
export { logWindowStatements } from './log/log-window-statement.ts';
export { readPrincipalNames } from './log/principal-names.ts';
export { connectReadModels, openReadModels, type ReadModels, verifyCell } from './read-models.ts';
export { type PagePosition, type RecordPage, type RowPosition, readRecord, readRecordPage } from './record-page.ts';
export { readSnapshotPage, snapshotPageStatement } from './snapshot-page.ts';
export { readNewestStamp } from './watermark/newest-stamp.ts';
export { feedKey, readNewestStamps, type TenantFeed } from './watermark/newest-stamps.ts';
export { findReplicaProblem, readServerStart } from './watermark/replica-check.ts';
export { type FeedHistory, type Watermark, watchWatermark } from './watermark/watermark.ts';
export type { WatermarkBounds } from './watermark/watermark-bounds.ts';
