import { type ModelKind, modelKindOf } from '@tollgate/contract';

/** Calls beside the conversation: what they are called by, which models serve them, and what is asked. */
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
 * Images, speech and transcription by curl, those for which there is a model.
 *
 * @param models - those that the key may use
 * @returns '' when there is a model for none of them
 */
export const mediaCode = (origin: string, apiKey: string, models: readonly string[]): string =>
  calls
    .flatMap(({ kind, code }) => {
      const model = models.find((name) => modelKindOf(name) === kind);
      return model === undefined ? [] : [code(origin, apiKey, model)];
    })
    .join('\n\n');

/** The models that converse; all of them where none seems to. */
export function chatModelsOf(models: readonly string[]): readonly string[] {
  const chat = models.filter((model) => modelKindOf(model) === 'chat');
  return chat.length > 0 ? chat : models;
}
