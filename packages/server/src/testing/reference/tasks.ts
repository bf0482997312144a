import { vi } from 'vitest';
import { batchCalls } from '../../http/openapi/relay/batches.ts';
import { exampleTasks } from '../../http/openapi/relay/call.ts';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { exampleBatches, exampleGoogleBatches } from './upstream.ts';
import type { Person, ReferenceWorld } from './world.ts';

/** Longer than the sandbox needs for any of these tasks. */
const madeMs = 10_000;
const isTaskModel = (name: string): boolean => /^(?:mj_|swap_face|suno_|sandbox-video$)/.test(name);

/** The example of a call that makes a batch. */
const exampleOf = (path: string): object =>
  batchCalls.find((call) => call.path === path && call.request)?.request?.example ?? {};

/** Makes the tasks in the examples of the reference; returns their ids by the ids in the examples. */
export async function makeExampleTasks(
  world: ReferenceWorld,
  root: Person,
  key: string,
): Promise<Record<string, string>> {
  const models = sandbox.models.filter(isTaskModel).join(',');
  const channel = { type: sandbox.type, name: 'sandbox', key: 'none', models };
  await world.must('POST', '/api/channel/', root, channel);
  const headers = { authorization: `Bearer ${key}` };
  const submit = async (path: string, body: object, name: string): Promise<string> => {
    const { body: answered } = await world.request('POST', path, headers, body);
    const id = (answered as Record<string, unknown>)[name];
    if (typeof id !== 'string') throw new Error(`${path}: ${JSON.stringify(answered)}`);
    return id;
  };
  const video = () => submit('/v1/videos', { model: 'sandbox-video', prompt: 'a ball', seconds: '4' }, 'id');
  const messageBatch = () => submit('/v1/messages/batches', exampleOf('/v1/messages/batches'), 'id');
  const googleBatch = async (): Promise<string> => {
    const path = '/v1beta/models/{model}:batchGenerateContent';
    const name = await submit(path.replace('{model}', 'gemini-2.5-flash'), exampleOf(path), 'name');
    return name.replace('batches/', '');
  };
  const names = {
    [exampleTasks.drawing]: await submit('/mj/submit/imagine', { prompt: 'hills at dawn' }, 'result'),
    [exampleTasks.song]: await submit('/suno/submit/MUSIC', { gpt_description_prompt: 'rain' }, 'data'),
    [exampleTasks.video]: await video(),
    [exampleTasks.formerVideo]: await video(),
    [exampleTasks.batch]: await submit('/v1/batches', exampleOf('/v1/batches'), 'id'),
    [exampleTasks.messageBatch]: await messageBatch(),
    [exampleTasks.formerMessageBatch]: await messageBatch(),
    [exampleTasks.googleBatch]: await googleBatch(),
    [exampleTasks.formerGoogleBatch]: await googleBatch(),
  };
  for (const id of exampleBatches.batches.keys()) exampleBatches.end(id, () => 'fails');
  for (const name of exampleGoogleBatches.batches.keys())
    exampleGoogleBatches.end(name, () => ({ error: { code: 3, message: 'no' } }));
  world.goOn(madeMs);
  const { db } = world.tollgate.core.store;
  await db.updateTable('tasks').set({ next_poll: 1 }).where('next_poll', '<>', 0).execute();
  const open = () => db.selectFrom('tasks').select('task_id').where('state', '<>', 'succeeded').execute();
  await vi.waitUntil(async () => (await open()).length === 0, { timeout: 20_000, interval: 100 });
  const hold = () => submit('/v1/ledger/hold', { name: 'ocr-pages', usd: 0.5 }, 'id');
  return { ...names, [exampleTasks.hold]: await hold(), [exampleTasks.formerHold]: await hold() };
}
