import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { channelInput } from '@tollgate/contract';
import { closeCore, openCore } from '../../boot/site.ts';
import { readEnv } from '../../boot/env.ts';
import { layMigratedFile } from '../../store/migrated-file.ts';
import { addCaller, testMasterKey } from '../gateway-harness.ts';
import { field, file as filePart, wavFile, writeForm } from '../protocols/forms.ts';
import { RealtimeClient } from '../realtime-client.ts';
import { startFakeRealtime } from '../upstream/fake-realtime.ts';
import { images, speech, transcript } from '../upstream/fake-upstream-media.ts';
import { healthy } from '../upstream/fake-upstream-scripts.ts';
import { type Behaviour, startFakeUpstream } from '../upstream/fake-upstream.ts';
import { startFakeTasks } from '../upstream/tasks/fake-tasks.ts';

/** Channels by the type of their provider. The vendor of `chatOnly` supports only Chat Completions. */
const models = {
  openai: 'gpt-4o-mini,text-embedding-3-small,dall-e-2,whisper-1,tts-1',
  chatOnly: 'gpt-4o',
  realtime: 'gpt-4o-realtime-preview',
  tasks: 'suno_music',
};

const ratios = {
  'gpt-4o-mini': 0.5,
  'gpt-4o': 1,
  'text-embedding-3-small': 0.01,
  'whisper-1': 15,
  'tts-1': 7.5,
};

/**
 * Answers every call below in one write, after the commit of the call's hold. A real vendor takes longer than the ledger
 * waits for a settlement that could share the commit.
 */
const answer =
  (db: DatabaseSync): Behaviour =>
  async (exchange) => {
    const hold = db.prepare('select 1 from holds limit 1');
    while (!hold.get()) await exchange.pause(1);
    if (exchange.path.includes('/images/')) return images()(exchange);
    if (exchange.path.endsWith('/speech')) return speech(Buffer.alloc(2_000))(exchange);
    if (exchange.path.endsWith('/transcriptions')) return transcript({ text: 'what was said' })(exchange);
    const { stream } = exchange.json();
    return healthy(stream === true ? { atOnce: true, chunks: 100 } : {})(exchange);
  };

/** Calls for the measured server, and its start parameters. */
interface CostWorld {
  /** Database of the server. */
  db: DatabaseSync;
  env: Record<string, string>;
  /** Kinds of calls in order of measurement. Each function resolves at the end of its answer. */
  open(url: string): Record<string, () => Promise<void>>;
  close(): Promise<void>;
}

/** Prepares a database in `dataDir` with channels, prices and one caller. */
export async function openCostWorld(dataDir: string): Promise<CostWorld> {
  const file = join(dataDir, 'tollgate.db');
  await layMigratedFile(file);
  const db = new DatabaseSync(file, { readOnly: true });
  const upstream = await startFakeUpstream(answer(db));
  const realtime = await startFakeRealtime();
  const tasks = await startFakeTasks();
  const env = { SECRET_KEY: testMasterKey, STREAMING_TIMEOUT: '600' };
  const core = await openCore(readEnv({ ...env, DATA_DIR: dataDir, LOG_LEVEL: 'error' }));
  const { key } = await addCaller(core, { balance: 1_000_000_000, allowance: null, group: 'default' });
  for (const [type, url, list] of [
    [1, upstream.url, models.openai],
    [31, upstream.url, models.chatOnly],
    [1, realtime.url, models.realtime],
    [36, tasks.url, models.tasks],
  ] as const)
    await core.channels.create(
      channelInput.parse({ type, name: list, key: 'sk-upstream', models: list, base_url: url }),
    );
  await core.settings.setMany({
    ModelRatio: JSON.stringify({ ...ratios, [models.realtime]: 2.5 }),
    ModelPrice: JSON.stringify({ 'dall-e-2': 0.01, [models.tasks]: 0.1 }),
  });
  await closeCore(core);
  return {
    db,
    env,
    open(url) {
      const { submitTask, ...calls } = writeCalls(url, key);
      const address = `${url.replace('http', 'ws')}/v1/realtime?model=${models.realtime}`;
      let session: RealtimeClient | undefined;
      const respond = async (): Promise<void> => {
        session ??= await RealtimeClient.open(address, { headers: { authorization: `Bearer ${key}` } });
        await session.respond();
      };
      // These two are last, because a session keeps a hold, and polls of tasks begin after the submission.
      return { ...calls, 'realtime response': respond, 'task submission': submitTask };
    },
    async close() {
      await upstream.close();
      await realtime.close();
      await tasks.close();
      db.close();
    },
  };
}

function writeCalls(url: string, key: string) {
  const call =
    (path: string, body: object | Buffer<ArrayBuffer>, type = 'application/json') =>
    async () => {
      const sent = body instanceof Buffer ? body : JSON.stringify(body);
      const headers = { authorization: `Bearer ${key}`, 'content-type': type };
      const response = await fetch(url + path, { method: 'POST', headers, body: sent });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    };
  const chat = (model: string, content: string, stream: boolean) =>
    call('/v1/chat/completions', { model, stream, messages: [{ role: 'user', content }] });
  const translated = (stream: boolean) =>
    call('/v1/messages', {
      model: 'gpt-4o',
      max_tokens: 200,
      stream,
      messages: [{ role: 'user', content: 'hello' }],
    });
  const form = writeForm([field('model', 'whisper-1'), filePart('file', 'a.wav', wavFile(1))]);
  return {
    'JSON chat': chat('gpt-4o-mini', 'hello', false),
    'JSON chat of 32 KB': chat('gpt-4o-mini', 'hello '.repeat(5_461), false),
    'stream of 100 chunks': chat('gpt-4o-mini', 'hello', true),
    'translated JSON': translated(false),
    'translated stream of 100 chunks': translated(true),
    embeddings: call('/v1/embeddings', { model: 'text-embedding-3-small', input: 'hello' }),
    image: call('/v1/images/generations', { model: 'dall-e-2', prompt: 'a lighthouse' }),
    speech: call('/v1/audio/speech', { model: 'tts-1', input: 'hello', voice: 'alloy' }),
    transcription: call('/v1/audio/transcriptions', Buffer.from(form.body), form.contentType),
    submitTask: call('/suno/submit/music', { prompt: 'a march' }),
  };
}
