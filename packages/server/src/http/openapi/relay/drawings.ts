import type { Words } from '@tollgate/contract';
import { examplePicture, exampleTasks, like, list, open, type RelayCall, slot, text } from './call.ts';
import type { JsonSchema } from '../shape/schemas.ts';

const number: JsonSchema = { type: 'integer' };
const { drawing } = exampleTasks;
const moment = like(number, 1_764_288_000_000);

/** The answer to a new drawing: its id for later queries. */
const submitted = open({ code: number, description: like(text, 'Submitted'), result: like({}, drawing) }, [
  'code',
  'result',
]);

/** A drawing in the format of its clients. */
const task = open(
  {
    id: like(text, drawing),
    action: like(text, 'IMAGINE'),
    prompt: like(text, 'hills at dawn'),
    submitTime: moment,
    startTime: moment,
    finishTime: moment,
    imageUrl: like(text, `https://gate.example/mj/image/${drawing}`),
    status: like(text, 'SUCCESS'),
    progress: like(text, '100%'),
    failReason: text,
    buttons: list(
      open({ customId: like(text, 'MJ::JOB::upsample::1'), label: like(text, 'U1'), emoji: text }),
    ),
    properties: open({}),
  },
  ['id', 'action', 'status', 'progress', 'imageUrl'],
);

interface Submit {
  /** The last segments of the path. */
  path: string;
  summary: Words;
  fields: Record<string, JsonSchema>;
  required: readonly string[];
  example: Readonly<Record<string, unknown>>;
}

const submit = ({ path, summary, fields, required, example }: Submit): RelayCall => ({
  method: 'POST',
  path: `/mj/${path}`,
  tag: 'midjourney',
  name: path.split('/').at(-1) ?? path,
  summary,
  request: { schema: open(fields, required), example },
  answer: { schema: submitted },
});

/** Drawings that continue earlier ones. */
const furtherSubmits: readonly Submit[] = [
  {
    path: 'submit/change',
    summary: { zh: '放大、变换或重绘一张绘图', en: 'Upscale, vary or draw again' },
    fields: { taskId: text, action: text, index: number },
    required: ['taskId', 'action'],
    example: { taskId: drawing, action: 'UPSCALE', index: 1 },
  },
  {
    path: 'submit/simple-change',
    summary: { zh: '用一行文字放大、变换或重绘', en: 'Upscale, vary or draw again, in one line' },
    fields: { content: text },
    required: ['content'],
    example: { content: `${drawing} V2` },
  },
  {
    path: 'submit/action',
    summary: { zh: '按下绘图的一个按钮', en: 'Press a button of a drawing' },
    fields: { taskId: text, customId: text },
    required: ['taskId', 'customId'],
    example: { taskId: drawing, customId: 'MJ::JOB::upsample::1' },
  },
  {
    path: 'submit/modal',
    summary: { zh: '说明等待中的绘图要画什么', en: 'Say what a waiting drawing shall show' },
    fields: { taskId: text, prompt: text, maskBase64: text },
    required: ['taskId'],
    example: { taskId: drawing, prompt: 'a red roof' },
  },
];

/** Drawings from text or pictures. */
const firstSubmits: readonly Submit[] = [
  {
    path: 'submit/imagine',
    summary: { zh: '按提示词绘图', en: 'Draw what a prompt says' },
    fields: { prompt: text, base64Array: list(text), botType: text, notifyHook: text, state: text },
    required: ['prompt'],
    example: { prompt: 'hills at dawn' },
  },
  {
    path: 'submit/describe',
    summary: { zh: '为图片写提示词', en: 'Find a prompt for a picture' },
    fields: { base64: text },
    required: [],
    example: { base64: examplePicture },
  },
  {
    path: 'submit/blend',
    summary: { zh: '混合多张图片', en: 'Blend pictures' },
    fields: { base64Array: list(text), dimensions: text },
    required: ['base64Array'],
    example: { base64Array: [examplePicture, examplePicture] },
  },
  {
    path: 'submit/shorten',
    summary: { zh: '缩短提示词', en: 'Shorten a prompt' },
    fields: { prompt: text },
    required: ['prompt'],
    example: { prompt: 'very wide green hills at dawn' },
  },
  {
    path: 'submit/upload-discord-images',
    summary: { zh: '上传供提示词使用的图片', en: 'Upload pictures for prompts' },
    fields: { base64Array: list(text) },
    required: ['base64Array'],
    example: { base64Array: [examplePicture] },
  },
  {
    path: 'submit/edits',
    summary: { zh: '按提示词编辑图片', en: 'Edit a picture by a prompt' },
    fields: { prompt: text, image: text, maskBase64: text },
    required: [],
    example: { prompt: 'add a hat', image: examplePicture },
  },
  {
    path: 'submit/video',
    summary: { zh: '让图片动起来', en: 'Set a picture in motion' },
    fields: { prompt: text, image: text, motion: text },
    required: [],
    example: { prompt: 'clouds pass', image: examplePicture, motion: 'low' },
  },
  {
    path: 'insight-face/swap',
    summary: { zh: '换脸', en: 'Swap a face' },
    fields: { sourceBase64: text, targetBase64: text },
    required: ['sourceBase64', 'targetBase64'],
    example: { sourceBase64: examplePicture, targetBase64: examplePicture },
  },
];

const shared = { tag: 'midjourney' } as const;

/** Midjourney's calls; each is also below a mode (`/mj-fast/mj/…`). */
export const drawingCalls: readonly RelayCall[] = [
  ...[...firstSubmits, ...furtherSubmits].map(submit),
  {
    ...shared,
    method: 'GET',
    path: '/mj/task/{id}/fetch',
    name: 'fetch',
    summary: { zh: '查询绘图', en: 'Fetch a drawing' },
    parameters: [slot('id', drawing)],
    answer: { schema: task },
  },
  {
    ...shared,
    method: 'POST',
    path: '/mj/task/list-by-condition',
    name: 'list',
    summary: { zh: '按 ID 查询多张绘图', en: 'Fetch drawings by their ids' },
    request: { schema: open({ ids: list(text) }, ['ids']), example: { ids: [drawing] } },
    answer: { schema: list(task) },
  },
  {
    ...shared,
    method: 'GET',
    path: '/mj/task/{id}/image-seed',
    name: 'seed',
    summary: { zh: '查询绘图的种子', en: 'The seed of a drawing' },
    parameters: [slot('id', drawing)],
    answer: { schema: open({ code: number, description: text, result: like(text, '12345') }) },
  },
  {
    ...shared,
    method: 'POST',
    path: '/mj/notify',
    name: 'notify',
    summary: {
      zh: '提示绘图有了新进展，网关随后自行查询',
      en: 'A hint that a drawing has news, for which the gateway asks',
    },
    request: { schema: open({ id: text }), example: { id: 'vendor-1' } },
    answer: { schema: open({ code: number, description: text }) },
  },
  {
    ...shared,
    method: 'GET',
    path: '/mj/image/{id}',
    name: 'image',
    summary: { zh: '绘图的图片', en: 'The picture of a drawing' },
    parameters: [slot('id', drawing)],
    answer: { schema: { type: 'string', contentEncoding: 'binary' }, type: 'image/png' },
  },
];
