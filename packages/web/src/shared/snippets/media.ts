import { looksLikeImages } from '../prices/image-factors.ts';

/** Calls beside the conversation: what they are called by, which models serve them, and what is asked. */
interface MediaCall {
  /** Models are told by their names; the list of the wire does not say what they do. */
  matches: (model: string) => boolean;
  /** For readers whose models are not known. */
  usual: string;
  code: (origin: string, apiKey: string, model: string) => string;
}

const image: MediaCall = {
  matches: looksLikeImages,
  usual: 'dall-e-3',
  code: (origin, apiKey, model) => `# Image
curl ${origin}/v1/images/generations \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "prompt": "A lighthouse at night",
    "size": "1024x1024"
  }'`,
};

const speech: MediaCall = {
  matches: (model) => /tts|speech/i.test(model),
  usual: 'gpt-4o-mini-tts',
  code: (origin, apiKey, model) => `# Speech
curl ${origin}/v1/audio/speech \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "voice": "alloy",
    "input": "Hello"
  }' \\
  --output speech.mp3`,
};

const transcription: MediaCall = {
  matches: (model) => /whisper|transcri|asr/i.test(model),
  usual: 'whisper-1',
  code: (origin, apiKey, model) => `# Transcription
curl ${origin}/v1/audio/transcriptions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -F model="${model}" \\
  -F file=@speech.mp3`,
};

const calls: readonly MediaCall[] = [image, speech, transcription];

/**
 * Images, speech and transcription by curl, those for which there is a model.
 *
 * @param models - those that the key may use; undefined where nobody knows
 * @returns '' when there is a model for none of them
 */
export const mediaCode = (origin: string, apiKey: string, models: readonly string[] | undefined): string =>
  calls
    .flatMap(({ matches, usual, code }) => {
      const model = models === undefined ? usual : models.find(matches);
      return model === undefined ? [] : [code(origin, apiKey, model)];
    })
    .join('\n\n');

const otherNames = /embed|rerank|moderation|bge|m3e|realtime|suno|^mj_/i;

/** The first model that converses, for the examples that do; the first of all where none seems to. */
export const chatModelOf = (models: readonly string[]): string | undefined =>
  models.find((model) => !otherNames.test(model) && !calls.some(({ matches }) => matches(model))) ??
  models[0];
