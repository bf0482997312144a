import { readOpenaiError, writeOpenaiError, writeOpenaiStreamError } from '../../families/openai/index.ts';
import type { CallerProtocol } from '../../types/index.ts';
import { readFacts } from './facts.ts';
import { kindOfAudio, openAudioPipe } from './wire.ts';

export { readAudioUsage } from './wire.ts';

/** OpenAI audio: speech, transcriptions, translations. Sound and text pass byte for byte. */
export const openaiAudio: CallerProtocol = {
  id: 'openai-audio',
  inbound: {
    id: 'openai-audio',
    readFacts,
    writeError: writeOpenaiError,
    writeStreamError: writeOpenaiStreamError,
    ping: Buffer.from(': PING\n\n'),
  },
  outbound: {
    id: 'openai-audio',
    openPipe: openAudioPipe,
    readError: readOpenaiError,
    kindOf: kindOfAudio,
  },
};
