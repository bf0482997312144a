import { readGeminiError } from '../../model/gemini/error.ts';
import type { Protocol } from '../../model/protocol.ts';
import { geminiInbound } from './inbound.ts';
import { openGeminiPipe } from './wire.ts';

/** Google's Gemini: contents and parts; the model and the wish for a stream stand in the path. */
export const gemini: Protocol = {
  id: 'gemini',
  inbound: geminiInbound,
  outbound: { id: 'gemini', openPipe: openGeminiPipe, readError: readGeminiError },
};
