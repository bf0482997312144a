import type { RealtimeEndpoint } from '../provider.ts';
import { joinUrl } from './endpoints.ts';

/** OpenAI's own place for realtime sockets: the caller's query, with the channel's name of the model (wire-facts 4.3). */
export const openaiRealtime: RealtimeEndpoint = {
  url(channel, { model, query }) {
    const asked = new URLSearchParams(query);
    asked.set('model', model);
    return `${joinUrl(channel, '/v1/realtime')}?${asked.toString()}`;
  },
  keyInProtocol: true,
};
