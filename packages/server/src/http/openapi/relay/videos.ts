import {
  count,
  examplePicture,
  exampleTasks,
  like,
  list,
  model,
  open,
  type RelayCall,
  slot,
  text,
} from './call.ts';
import type { JsonSchema } from '../shape/schemas.ts';

const { video, formerVideo } = exampleTasks;
const modelName = 'sandbox-video';
const prompt = 'a ball over a meadow';

/** A video in OpenAI's format. */
const shown = open(
  {
    id: like(text, video),
    object: { const: 'video' },
    model: like(text, modelName),
    status: { enum: ['queued', 'in_progress', 'completed', 'failed'], examples: ['completed'] },
    progress: { type: 'integer', minimum: 0, maximum: 100, examples: [100] },
    created_at: like(count, 1_764_288_000),
    completed_at: like({ type: ['integer', 'null'] }, 1_764_288_060),
    seconds: like(text, '4'),
    size: like(text, '1280x720'),
    error: {},
    metadata: open({ url: like(text, `https://gate.example/v1/videos/${video}/content`) }),
  },
  ['id', 'object', 'model', 'status', 'progress'],
);

const asked = open({ model, prompt: text, seconds: {}, size: text, input_reference: {} }, ['prompt']);
const example = { model: modelName, prompt, seconds: '4', size: '1280x720' };
const openai = { tag: 'openai' } as const;
const ofVideo = { ...openai, parameters: [slot('id', video)] };

/** Videos by OpenAI's calls, and by the older calls of similar gateways. */
export const videoCalls: readonly RelayCall[] = [
  {
    ...openai,
    method: 'POST',
    path: '/v1/videos',
    name: 'videos',
    summary: { zh: '生成视频', en: 'Make a video' },
    request: { schema: asked, example },
    answer: { schema: shown },
  },
  {
    ...openai,
    method: 'GET',
    path: '/v1/videos',
    name: 'video-list',
    summary: { zh: '列出自己的视频', en: 'List one’s videos' },
    parameters: [{ name: 'limit', in: 'query', required: false, schema: count, example: 2 }],
    answer: { schema: open({ object: { const: 'list' }, data: list(shown) }, ['object', 'data']) },
  },
  {
    ...ofVideo,
    method: 'GET',
    path: '/v1/videos/{id}',
    name: 'video',
    summary: { zh: '查询视频', en: 'Read a video' },
    answer: { schema: shown },
  },
  {
    ...ofVideo,
    method: 'GET',
    path: '/v1/videos/{id}/content',
    name: 'video-content',
    summary: { zh: '视频的内容，支持 Range', en: 'The bytes of a video, also by Range' },
    answer: { schema: { type: 'string', contentEncoding: 'binary' }, type: 'video/webm' },
  },
  {
    ...ofVideo,
    method: 'POST',
    path: '/v1/videos/{id}/remix',
    name: 'video-remix',
    summary: { zh: '按新的提示词重制视频', en: 'Make a video anew by another prompt' },
    request: { schema: open({ prompt: text }, ['prompt']), example: { prompt: 'at night' } },
    answer: { schema: shown },
  },
  {
    ...openai,
    method: 'DELETE',
    path: '/v1/videos/{id}',
    name: 'video-delete',
    summary: { zh: '删除视频', en: 'Delete a video' },
    parameters: [slot('id', formerVideo)],
    answer: {
      schema: open(
        { id: like(text, formerVideo), object: { const: 'video.deleted' }, deleted: { const: true } },
        ['id'],
      ),
    },
  },
  {
    ...openai,
    method: 'POST',
    path: '/pg/videos/price',
    name: 'video-price',
    summary: { zh: '查询视频的价格（额度单位）', en: 'What a video would cost, in quota units' },
    request: { schema: asked, example },
    answer: { schema: open({ quota: like(count, 200_000) }, ['quota']) },
  },
  {
    ...openai,
    method: 'POST',
    path: '/v1/video/generations',
    name: 'video-generation',
    summary: { zh: '生成视频（旧接口）', en: 'Make a video, by the older call' },
    request: {
      schema: open({ model, prompt: text, duration: {}, width: count, height: count, metadata: {} }, [
        'model',
      ]),
      example: { model: modelName, prompt, duration: 4 },
    },
    answer: { schema: open({ task_id: like(text, video), status: like(text, 'queued') }, ['task_id']) },
  },
  {
    ...ofVideo,
    method: 'GET',
    path: '/v1/video/generations/{id}',
    name: 'video-generation-read',
    summary: { zh: '查询视频（旧接口）', en: 'Read a video, by the older call' },
    answer: {
      schema: open(
        {
          code: like(text, 'success'),
          message: text,
          data: open(
            { task_id: like(text, video), status: like(text, 'SUCCESS'), progress: like(text, '100%') },
            ['task_id'],
          ),
        },
        ['code', 'data'],
      ),
    },
  },
];

/** An operation of Google's; once it is done it has a response or an error. */
const operation = open(
  {
    name: like(text, `models/${modelName}/operations/${video}`),
    done: { type: 'boolean' },
    response: open({}),
    error: {},
  },
  ['name'],
);
const predicted = {
  schema: open({ instances: list(open({ prompt: text })), parameters: open({}) }, ['instances']),
  example: { instances: [{ prompt }], parameters: { durationSeconds: 4 } },
};
const vertex = '/v1/publishers/google/models/{model}';
const google = { tag: 'gemini', answer: { schema: operation } } as const;

/** Videos by Google's calls: Gemini's, and those of Vertex. */
export const googleVideos: readonly RelayCall[] = [
  {
    ...google,
    method: 'POST',
    path: '/v1beta/models/{model}:predictLongRunning',
    name: 'predictLongRunning',
    summary: { zh: '生成视频', en: 'Make a video' },
    parameters: [slot('model', modelName)],
    request: predicted,
  },
  {
    ...google,
    method: 'GET',
    path: '/v1beta/models/{model}/operations/{id}',
    name: 'operation',
    summary: { zh: '查询视频', en: 'Read a video' },
    parameters: [slot('model', modelName), slot('id', video)],
  },
  {
    ...google,
    method: 'POST',
    path: `${vertex}:predictLongRunning`,
    name: 'vertex-predictLongRunning',
    summary: { zh: '生成视频（Vertex）', en: 'Make a video, by Vertex’s call' },
    parameters: [slot('model', modelName)],
    request: predicted,
  },
  {
    ...google,
    method: 'POST',
    path: `${vertex}:fetchPredictOperation`,
    name: 'vertex-fetchPredictOperation',
    summary: { zh: '查询视频（Vertex）', en: 'Read a video, by Vertex’s call' },
    parameters: [slot('model', modelName)],
    request: {
      schema: open({ operationName: text }, ['operationName']),
      example: { operationName: `publishers/google/models/${modelName}/operations/${video}` },
    },
  },
];

/** Answers of Kling and Jimeng: a numeric code, and the task. */
const numbered = (data: JsonSchema): JsonSchema =>
  open({ code: like({ type: 'integer' }, 0), message: text, request_id: text, data }, ['code', 'data']);
const klingTask = numbered(
  open({ task_id: like(text, video), task_status: like(text, 'succeed'), task_result: {} }, ['task_id']),
);

const kling = (kind: string, words: { zh: string; en: string }, picture: object): RelayCall[] => [
  {
    method: 'POST',
    path: `/kling/v1/videos/${kind}`,
    tag: 'kling',
    name: kind,
    summary: { zh: `${words.zh}生成视频`, en: `Make a video from ${words.en}` },
    request: {
      schema: open({ model_name: text, prompt: text, image: text, mode: text, duration: {} }),
      example: { model_name: modelName, prompt, duration: '4', ...picture },
    },
    answer: { schema: klingTask },
  },
  {
    method: 'GET',
    path: `/kling/v1/videos/${kind}/{id}`,
    tag: 'kling',
    name: `${kind}-read`,
    summary: { zh: `查询${words.zh}生成的视频`, en: `Read a video from ${words.en}` },
    parameters: [slot('id', video)],
    answer: { schema: klingTask },
  },
];

/** Videos by the calls of Kling and Jimeng. */
export const otherVideos: readonly RelayCall[] = [
  ...kling('text2video', { zh: '文字', en: 'words' }, {}),
  ...kling('image2video', { zh: '图片', en: 'a picture' }, { image: examplePicture }),
  {
    method: 'POST',
    path: '/jimeng',
    tag: 'kling',
    name: 'jimeng',
    summary: {
      zh: '即梦：生成视频，或以 Action=CVSync2AsyncGetResult 查询',
      en: 'Jimeng: make a video, or read it by Action=CVSync2AsyncGetResult',
    },
    parameters: [
      {
        name: 'Action',
        in: 'query',
        required: true,
        schema: { enum: ['CVSync2AsyncSubmitTask', 'CVSync2AsyncGetResult'] },
        example: 'CVSync2AsyncSubmitTask',
      },
    ],
    request: {
      schema: open({ req_key: text, prompt: text, frames: count, task_id: text }, ['req_key']),
      example: { req_key: modelName, prompt, frames: 97 },
    },
    answer: { schema: numbered(open({ task_id: like(text, video) })) },
  },
];
