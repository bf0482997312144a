import type { RealtimeEndpoint } from '../../types/index.ts';
import { joinUrl } from './request.ts';

/**
 * What of the caller's query goes no further: a key of ours, and the name of a call that another door of the vendor has
 * opened with the channel's key, perhaps for somebody else.
 */
const kept = new Set(['key', 'api_key', 'api-key', 'call_id']);

/**
 * OpenAI's own place for realtime sockets: the caller's query, with the channel's name of the model
 * (docs/compatibility.md#conversions).
 */
export const openaiRealtime: RealtimeEndpoint = {
  url(channel, { model, query }) {
    const asked = new URLSearchParams(query);
    for (const name of new Set(asked.keys())) if (kept.has(name.toLowerCase())) asked.delete(name);
    asked.set('model', model);
    return `${joinUrl(channel, '/v1/realtime')}?${asked.toString()}`;
  },
  keyInProtocol: true,
};
