import { exampleTasks, like, list, open, type RelayCall, slot, text } from './call.ts';
import type { JsonSchema } from '../shape/schemas.ts';

const { song } = exampleTasks;

const moment = like({ type: 'integer' }, 1_764_288_000);

/** Suno's answers are in an envelope with a text as code. */
const enveloped = (data: JsonSchema): JsonSchema =>
  open({ code: { const: 'success' }, message: text, data }, ['code', 'data']);

const task = open(
  {
    task_id: like(text, song),
    action: like(text, 'MUSIC'),
    status: like(text, 'SUCCESS'),
    fail_reason: text,
    submit_time: moment,
    start_time: moment,
    finish_time: moment,
    progress: like(text, '100%'),
    data: like({}, [{ title: 'Rain', audio_url: 'https://gate.example/v1/media/song.mp3' }]),
  },
  ['task_id', 'status'],
);

/** Suno's calls. */
export const songCalls: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/suno/submit/{action}',
    tag: 'suno',
    name: 'submit',
    summary: { zh: '创作歌曲（MUSIC）或歌词（LYRICS）', en: 'Make a song (MUSIC) or its words (LYRICS)' },
    parameters: [slot('action', 'MUSIC')],
    request: {
      schema: open({
        prompt: text,
        gpt_description_prompt: text,
        title: text,
        tags: text,
        mv: text,
        make_instrumental: { type: 'boolean' },
      }),
      example: { gpt_description_prompt: 'a song about rain' },
    },
    answer: { schema: enveloped(like(text, song)) },
  },
  {
    method: 'GET',
    path: '/suno/fetch/{id}',
    tag: 'suno',
    name: 'fetch',
    summary: { zh: '查询歌曲', en: 'Fetch a song' },
    parameters: [slot('id', song)],
    answer: { schema: enveloped(task) },
  },
  {
    method: 'POST',
    path: '/suno/fetch',
    tag: 'suno',
    name: 'list',
    summary: { zh: '按 ID 查询多首歌曲', en: 'Fetch songs by their ids' },
    request: { schema: open({ ids: list(text) }, ['ids']), example: { ids: [song] } },
    answer: { schema: enveloped(list(task)) },
  },
];
