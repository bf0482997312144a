import { type ModelKind, modelKindOf } from '@tollgate/contract';

/** Other calls than chat: name, models and sample input. */
interface MediaCall {
  kind: ModelKind;
  code: (origin: string, apiKey: string, model: string) => string;
}

const image: MediaCall = {
  kind: 'image',
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
  kind: 'speech',
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
  kind: 'transcription',
  code: (origin, apiKey, model) => `# Transcription
curl ${origin}/v1/audio/transcriptions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -F model="${model}" \\
  -F file=@speech.mp3`,
};

const calls: readonly MediaCall[] = [image, speech, transcription];

/**
 * Curl examples of images, speech and transcription, if there is a model.
 *
 * @param models - models that the key may use
 * @returns '' without a model for any of them
 */
export const mediaCode = (origin: string, apiKey: string, models: readonly string[]): string =>
  calls
    .flatMap(({ kind, code }) => {
      const model = models.find((name) => modelKindOf(name) === kind);
      return model === undefined ? [] : [code(origin, apiKey, model)];
    })
    .join('\n\n');

/** The chat models; all models if none is recognised. */
export function chatModelsOf(models: readonly string[]): readonly string[] {
  const chat = models.filter((model) => modelKindOf(model) === 'chat');
  return chat.length > 0 ? chat : models;
}
