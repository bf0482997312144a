import type { Inbound } from '../../relay/types/index.ts';

/** The number by which Midjourney's clients know a request that was refused. */
const midjourneyRefused = 4;

/** Midjourney's refusals; those of a key are OpenAI's, as its clients know them. */
export const midjourney = (chat: Inbound): Inbound => ({
  ...chat,
  writeError(error, requestId) {
    if (error.status === 401 || error.status === 403) return chat.writeError(error, requestId);
    const description = `${error.message} (request id: ${requestId})`;
    return {
      status: error.status,
      body: JSON.stringify({ description, type: error.type, code: midjourneyRefused }),
    };
  },
});

/** Suno's refusals: a code in words. */
export const suno = (chat: Inbound): Inbound => ({
  ...chat,
  writeError: (error, requestId) => ({
    status: error.status,
    body: JSON.stringify({
      code: error.code || 'invalid_request',
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
