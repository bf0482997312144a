import { googleMedia, googleMediaMarks, readGeminiError } from '../../families/google/index.ts';
import type { CallerProtocol, ChatRequest, MediaRule } from '../../types/index.ts';
import { schemas, toolObjects } from './fields.ts';
import { geminiInbound } from './inbound.ts';
import { readRequest } from './read/read-request.ts';
import { GeminiReader } from './read/read.ts';
import { openGeminiPipe } from './wire.ts';
import { writeRequest } from './write/write-request.ts';
import { GeminiWriter, writeGeminiAnswer } from './write/write.ts';
import { fileAddresses } from '../../conversation/index.ts';

/** Google fetches these videos itself. */
const watched = /^https?:\/\/(www\.)?(youtube\.com|youtu\.be)\//;

/** Addresses in a request: Gemini accepts files only as data. */
const filesNeeded = (request: ChatRequest): string[] =>
  fileAddresses(request, ['image', 'audio', 'file']).filter((url) => !watched.test(url));

export { adaptGemini, isTranslated } from './adapt.ts';
export { camelCased, camelName } from './fields.ts';

const media: MediaRule = {
  marks: googleMediaMarks,
  measure: ({ source }) => (source.kind === 'data' ? googleMedia(source.mediaType, source.base64) : {}),
};

/** Google's Gemini: contents and parts; model and streaming are in the path. */
export const gemini: CallerProtocol = {
  id: 'gemini',
  inbound: geminiInbound,
  outbound: { id: 'gemini', openPipe: openGeminiPipe, readError: readGeminiError },
  codec: {
    functionName: /^[A-Za-z_][\w.:-]{0,63}$/,
    toolObjects,
    schemas,
    media,
    openReader: () => new GeminiReader(),
    openWriter: (options) => new GeminiWriter(options),
    readAnswer(body, emit) {
      new GeminiReader().readAnswer(body, emit);
    },
    writeAnswer: writeGeminiAnswer,
    readRequest,
    writeRequest,
    filesNeeded,
  },
};
