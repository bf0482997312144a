import {
  entryOf,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  textOf,
} from '../../../lib/json.ts';
import { refuse, type Source, type VideoRequest } from '../../types/index.ts';
import { textField } from './fields.ts';
import { type VideoView, readVideoRequest } from './video.ts';

/** A picture in the form of Google's clients. Throws RelayError (400). */
function pictureIn(value: Json | undefined): Source[] {
  if (!isObject(value)) return [];
  const base64 = textOf(value.bytesBase64Encoded) || textOf(objectOf(value.inlineData).data);
  const mediaType = textOf(value.mimeType) || textOf(objectOf(value.inlineData).mimeType) || 'image/png';
  if (base64 === '') throw refuse('source_missing');
  return [{ kind: 'data', mediaType, base64 }];
}

/** Names of Google's parameters → ours. */
const names: Readonly<Record<string, string>> = {
  aspectRatio: 'aspect_ratio',
  durationSeconds: 'seconds',
  negativePrompt: 'negative_prompt',
  sampleCount: 'n',
  numberOfVideos: 'n',
};

/** A video request at `:predictLongRunning`. Throws RelayError (400). */
export function readPrediction(body: JsonObject, model: string): VideoRequest {
  const [instance, ...others] = objectsIn(body.instances);
  if (!instance || others.length > 0) throw refuse('one_field_required', { field: 'instances' });
  const fields = Object.fromEntries(
    Object.entries(objectOf(body.parameters)).map(([name, value]) => [entryOf(names, name) ?? name, value]),
  );
  const prompt = textField(instance, ['prompt']) ?? '';
  const first = pictureIn(instance.image);
  const further = [
    ...pictureIn(instance.lastFrame),
    ...objectsIn(instance.referenceImages).flatMap(({ image }) => pictureIn(image)),
  ];
  const { image, images, ...video } = readVideoRequest({ ...fields, model, prompt }, [...first, ...further]);
  // Without a first frame all pictures are references.
  if (first.length > 0) return { ...video, ...(image && { image }), ...(images && { images }) };
  const references = image ? [image, ...(images ?? [])] : [];
  return { ...video, ...(references.length > 0 && { images: references }) };
}

/** The name of an operation, by which its client polls it. */
const operationName = (video: Pick<VideoView, 'id' | 'model'>, place: string): string =>
  `${place === '' ? '' : `${place}/`}models/${video.model}/operations/${video.id}`;

/** Google's number for its own failures (google.rpc.Code). */
const internal = 13;

/** A video as one of Google's operations: Gemini's, or Vertex's at a `place` (`publishers/google`). */
export function writeOperation(video: VideoView, place = ''): JsonObject {
  const name = operationName(video, place);
  if (video.state === 'failed') return { name, done: true, error: { code: internal, message: video.reason } };
  if (video.state !== 'succeeded') return { name, metadata: { progressPercent: video.progress } };
  return { name, done: true, response: place === '' ? ofGemini(video) : ofVertex(video) };
}

const ofGemini = ({ url }: VideoView): JsonObject => ({
  '@type': 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse',
  generateVideoResponse: { generatedSamples: [{ video: { uri: url } }] },
});

const ofVertex = ({ url }: VideoView): JsonObject => ({
  '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse',
  videos: [{ gcsUri: url, mimeType: 'video/mp4' }],
});
