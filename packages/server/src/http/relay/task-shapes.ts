import { type Inbound, upstreamErrorType } from '../../relay/types/index.ts';

/** The number by which Midjourney's clients know a request that was refused. */
const midjourneyRefused = 4;

/** Words that clients look for at the beginning of a description, by our names of errors. */
const knownWords: Readonly<Record<string, string>> = {
  insufficient_user_quota: 'quota_not_enough',
  pre_consume_token_quota_failed: 'quota_not_enough',
  member_limit_reached: 'quota_not_enough',
  task_not_found: 'task_not_found',
  task_status_not_success: 'task_status_not_success',
};

/** Midjourney's refusals; those of a key are OpenAI's, as its clients know them. A vendor's pass in its own words. */
export const midjourney = (chat: Inbound): Inbound => ({
  ...chat,
  writeError(error, requestId) {
    const word = knownWords[error.code];
    const isOfKey = error.status === 401 || error.status === 403;
    if (isOfKey && !word) return chat.writeError(error, requestId);
    const { description, code } = error.original ?? {};
    const words = typeof description === 'string' && description !== '' ? description : error.message;
    return {
      // Its clients know two statuses of refusals: a full house, and all others.
      status: isOfKey ? 400 : error.status,
      body: JSON.stringify({
        description: `${word ? `${word} ` : ''}${words} (request id: ${requestId})`,
        type: error.original ? upstreamErrorType : error.type,
        code: typeof code === 'number' ? code : midjourneyRefused,
      }),
    };
  },
});

/** What Suno's clients call an error of ours. */
const sunoCodes: Readonly<Record<string, string>> = {
  insufficient_user_quota: 'quota_not_enough',
  pre_consume_token_quota_failed: 'quota_not_enough',
  member_limit_reached: 'quota_not_enough',
  bad_response_status_code: 'fail_to_fetch_task',
  do_request_failed: 'fail_to_fetch_task',
  upstream_saturated: 'fail_to_fetch_task',
  invalid_json: 'invalid_request',
};

/** Suno's refusals: a code in words. */
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

/** The refusals of Kling and Jimeng: a code in numbers. */
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
