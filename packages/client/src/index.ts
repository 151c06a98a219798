export { ApiError, type ApiErrorBody } from './api-error.ts';
export { type CursorFile, openCursorFile, type StoredRequest } from './cursor-file.ts';
export { type Page, type Pagination, type PollOptions, pollPages } from './poll-pages.ts';
export { createRequester, type Failure, type Requester, type RequesterOptions, RequestTimeout } from './requester.ts';
