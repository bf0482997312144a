import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { type Asked, type Answer, type VideoJob, type VideoMaker } from './far-side.ts';
import { choice, maybe, text, whole, wrongField } from './fields.ts';

// Google's Veo: long-running operations, of the Gemini API with a key and of Vertex with an account.

export const geminiKey = 'AIza-key';
/** Storage of a Vertex project's videos. */
export const bucket = 'gs://videos/out';

const refusal = (code: number, status: string, message: string): Answer => ({
  status: code,
  body: { error: { code, message, status } },
});
const notFound = (): Answer => refusal(404, 'NOT_FOUND', 'Requested entity was not found.');

/** Missing part of a request for a video; undefined if it is valid. */
function wrongIn(body: JsonObject): string | undefined {
  const [instance = {}] = objectsIn(body.instances);
  return (
    wrongField(instance, { prompt: text }) ??
    wrongField(objectOf(body.parameters), {
      durationSeconds: maybe(whole(4, 8)),
      aspectRatio: maybe(choice('16:9', '9:16')),
      resolution: maybe(choice('720p', '1080p', '4k')),
    })
  );
}

/** The bytes of the first frame. */
const frameOf = ({ instances }: JsonObject): Json | undefined =>
  objectOf(objectsIn(instances)[0]?.image).bytesBase64Encoded;

/** An operation in the format of both APIs; `response` once there is a video. */
const operationOf = (name: string, { state }: VideoJob, response: object): Answer => ({
  status: 200,
  body: {
    name,
    ...(state === 'done' && { done: true, response }),
    ...(state === 'failed' && {
      done: true,
      error: { code: 3, message: 'The prompt is against the rules.' },
    }),
  },
});

/** The Gemini API: the key is in its own header, also at the address of the video, which is behind a redirect. */
export const fakeGemini: VideoMaker = ({ call, headers, body, query, origin, jobs }) => {
  const key = headers['x-goog-api-key'];
  if (key === undefined)
    return refusal(403, 'PERMISSION_DENIED', 'Method doesn’t allow unregistered callers.');
  if (key !== geminiKey)
    return refusal(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.');
  const [, model] = /^POST \/v1beta\/models\/(veo-[\w.-]+):predictLongRunning$/.exec(call) ?? [];
  if (model !== undefined) {
    const wrong = wrongIn(body);
    if (wrong !== undefined) return refusal(400, 'INVALID_ARGUMENT', `${wrong} is missing or not valid`);
    const { id } = jobs.take('op', model, objectOf(body.parameters).durationSeconds, frameOf(body));
    return { status: 200, body: { name: `models/${model}/operations/${id}` } };
  }
  const [, name = '', id] = /^GET \/v1beta\/(models\/[\w.-]+\/operations\/(\w+))$/.exec(call) ?? [];
  const job = jobs.find(id);
  if (job) {
    const uri = `${origin}/v1beta/files/${job.id}:download?alt=media`;
    const generateVideoResponse = { generatedSamples: [{ video: { uri } }] };
    return operationOf(name, job, { generateVideoResponse });
  }
  const [, redirected, file] = /^GET (\/download)?\/v1beta\/files\/(\w+):download$/.exec(call) ?? [];
  if (jobs.find(file)?.state !== 'done' || query.get('alt') !== 'media') return notFound();
  return redirected === undefined
    ? { location: `${origin}/download/v1beta/files/${file}:download?alt=media` }
    : 'video';
};

const place =
  /^POST \/v1\/(projects\/fake-project\/locations\/[\w-]+\/publishers\/google\/models\/(veo-[\w.-]+)):(\w+)$/;

/** Vertex, behind its account (`FakeGoogle`): operations are queried by their model, and videos are in a bucket. */
export const fakeVertex: VideoMaker = (asked) => {
  const { call, body, jobs } = asked;
  const [, path = '', model = '', verb] = place.exec(call) ?? [];
  if (verb === 'predictLongRunning') {
    const parameters = objectOf(body.parameters);
    const wrong = wrongIn(body) ?? wrongField(parameters, { storageUri: choice(bucket) });
    if (wrong !== undefined) return refusal(400, 'INVALID_ARGUMENT', `${wrong} is missing or not valid`);
    const { id } = jobs.take('op', model, parameters.durationSeconds, frameOf(body));
    return { status: 200, body: { name: `${path}/operations/${id}` } };
  }
  if (verb !== 'fetchPredictOperation') return inBucket(asked) ?? notFound();
  const name = textOf(body.operationName);
  const job = name.startsWith(`${path}/operations/`) ? jobs.find(name.split('/').at(-1)) : undefined;
  if (!job) return notFound();
  const videos = [{ gcsUri: `${bucket}/${job.id}/sample_0.mp4`, mimeType: 'video/mp4' }];
  return operationOf(name, job, { raiMediaFilteredCount: 0, videos });
};

/** An object of the bucket, as Cloud Storage serves it to the account. */
function inBucket({ call, jobs }: Asked): Answer | undefined {
  const [, id] = /^GET \/videos\/out\/(\w+)\/sample_0\.mp4$/.exec(call) ?? [];
  return jobs.find(id)?.state === 'done' ? 'video' : undefined;
}
