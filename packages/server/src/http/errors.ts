import { AppError, type ErrorCode, type Language } from '@tollgate/contract';
import type { Log } from '../lib/log.ts';
import { isDatabaseAway, LedgerUnavailable } from '../services/money/ledger/index.ts';
import { ArchiveUnavailable } from '../services/upkeep/logs/index.ts';
import type { Served } from './answer.ts';

/** The place of an error, for the log and for users who report the request id. */
export interface ErrorContext {
  requestId: string;
  language: Language;
  /** Method and matched pattern, for the log; never the address itself, which may contain secrets. */
  where: string;
}

/** Fastify's own errors that callers can cause. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_body',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'malformed_body',
  FST_ERR_BAD_URL: 'invalid_parameter',
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';

/** Converts any thrown value to an AppError: errors of the caller keep their code, all others become `internal`. */
function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof LedgerUnavailable) return new AppError('database_unavailable', {}, error);
  if (error instanceof ArchiveUnavailable) return new AppError('log_archive_unavailable', {}, error);
  const code = codeOf(error);
  const known = frameworkCodes[code];
  if (known) return new AppError(known, {}, error);
  // secure-json-parse and JSON.parse throw SyntaxError; Fastify marks them with the status of the body parser.
  if (error instanceof SyntaxError && 'statusCode' in error) return new AppError('malformed_body', {}, error);
  if (isDatabaseAway(error)) return new AppError('database_unavailable', {}, error);
  return new AppError('internal', {}, error);
}

/** Seconds until a rate-limited call may be repeated: those of the error, otherwise a minute. */
function secondsToWait({ values: { retryAfter } }: AppError): string {
  return typeof retryAfter === 'number' ? String(retryAfter) : '60';
}

/** Logs an error of ours with its cause. */
function report(error: AppError, { requestId, where }: ErrorContext, log: Log): void {
  if (error.status < 500) return;
  log.error({ requestId, where, code: error.code, err: error.cause ?? error }, 'a console call failed');
}

/**
 * The only conversion of an error of a console call to a response: the envelope with code, message and request id. An
 * unexpected error is logged with its cause; the caller gets only our own message (ASVS 16.5.1).
 */
export function renderError(error: unknown, scene: ErrorContext, log: Log): Served {
  const known = toAppError(error);
  report(known, scene, log);
  return {
    status: known.status,
    body: {
      success: false,
      message: known.say(scene.language),
      data: null,
      code: known.code,
      request_id: scene.requestId,
    },
    // Methods that read are allowed on a demo site (RFC 9110, 15.5.6).
    ...(known.code === 'demo_site' && { headers: { allow: 'GET, HEAD' } }),
    ...(known.status === 429 && { headers: { 'retry-after': secondsToWait(known) } }),
  };
}

/** `scimType` of refusals (RFC 7644, 3.12). */
const scimTypes: Partial<Record<ErrorCode, string>> = {
  scim_filter: 'invalidFilter',
  scim_path: 'invalidPath',
  scim_syntax: 'invalidSyntax',
  scim_target: 'noTarget',
  scim_taken: 'uniqueness',
  scim_value: 'invalidValue',
  malformed_body: 'invalidSyntax',
  user_deleted: 'uniqueness',
};

/** Statuses of refusals that console calls answer with 200. */
const scimStatuses: Partial<Record<ErrorCode, number>> = {
  insufficient_role: 403,
  invalid_access_token: 401,
  invalid_user_info: 403,
  user_banned: 403,
  user_deleted: 409,
};

/** An error as SCIM writes it (RFC 7644, 3.12); the code of ours is at the end of its text. */
export function renderScimError(error: unknown, scene: ErrorContext, log: Log): Served {
  const known = toAppError(error);
  report(known, scene, log);
  const status = scimStatuses[known.code] ?? (known.status < 400 ? 400 : known.status);
  const scimType = scimTypes[known.code];
  return {
    status,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      ...(scimType !== undefined && { scimType }),
      detail: `${known.say(scene.language)} (${known.code})`,
      status: String(status),
    },
    headers: {
      'content-type': 'application/scim+json',
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(status === 429 && { 'retry-after': secondsToWait(known) }),
    },
  };
}
