import { rpcObject } from '../../gateway/index.ts';
import { type Inbound, upstreamErrorType } from '../../relay/types/index.ts';

/** The code of a refused request for Midjourney's clients. */
const midjourneyRefused = 4;

/** Texts that clients expect at the start of a description, by Tollgate's error names. */
const knownWords: Readonly<Record<string, string>> = {
  insufficient_user_quota: 'quota_not_enough',
  pre_consume_token_quota_failed: 'quota_not_enough',
  member_limit_reached: 'quota_not_enough',
  task_not_found: 'task_not_found',
  task_status_not_success: 'task_status_not_success',
};

/** Midjourney's errors; errors about keys are OpenAI's, as its clients expect. A vendor's error passes unchanged. */
export const midjourney = (chat: Inbound): Inbound => ({
  ...chat,
  writeError(error, requestId) {
    const word = knownWords[error.code];
    const isOfKey = error.status >= 401 && error.status <= 403;
    if (isOfKey && !word) return chat.writeError(error, requestId);
    const { description, code } = error.original ?? {};
    const words = typeof description === 'string' && description !== '' ? description : error.message;
    return {
      // Its clients expect two error statuses: queue full, and all others.
      status: isOfKey ? 400 : error.status,
      body: JSON.stringify({
        description: `${word ? `${word} ` : ''}${words} (request id: ${requestId})`,
        type: error.original ? upstreamErrorType : error.type,
        code: typeof code === 'number' ? code : midjourneyRefused,
      }),
    };
  },
});

/** The code of an internal error for Suno's clients. */
const sunoCodes: Readonly<Record<string, string>> = {
  insufficient_user_quota: 'quota_not_enough',
  pre_consume_token_quota_failed: 'quota_not_enough',
  member_limit_reached: 'quota_not_enough',
  bad_response_status_code: 'fail_to_fetch_task',
  do_request_failed: 'fail_to_fetch_task',
  upstream_saturated: 'fail_to_fetch_task',
  invalid_json: 'invalid_request',
};

/** Suno's errors have a text as code. */
export const suno = (chat: Inbound): Inbound => ({
  ...chat,
  writeError: (error, requestId) => ({
    status: error.status,
    body: JSON.stringify({
      code: sunoCodes[error.code] ?? (error.code || 'invalid_request'),
      message: `${error.message} (request id: ${requestId})`,
      data: null,
    }),
  }),
});

/** The errors of Kling and Jimeng: the code is a number. */
export const kling = (chat: Inbound): Inbound => ({
  ...chat,
  writeError: (error, requestId) => ({
    status: error.status,
    body: JSON.stringify({
      code: error.status,
      message: error.message,
      request_id: requestId,
      data: null,
    }),
  }),
});

/** The errors of JSON-RPC, for a message of the Model Context Protocol that could not be read. */
export const toolProtocol = (chat: Inbound): Inbound => ({
  ...chat,
  writeError: (error, requestId) => ({
    status: error.status,
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error: rpcObject(error, requestId) }),
  }),
});
