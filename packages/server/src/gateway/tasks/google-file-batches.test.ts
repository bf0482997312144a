import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answered, failed, fakeGoogleBatches } from '../../testing/upstream/fake-google-batches.ts';
import { fakeGoogleFiles } from '../../testing/upstream/fake-google-files.ts';
import { healthy, json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { chargeRows, endTasks } from '../../testing/poll-tasks.ts';

const model = 'gemini-plain';
const mb = 1024 * 1024;
let gate: GatewayHarness;
let caller: TestCaller;
let google: GoogleGenAI;
let now: number;
let files: ReturnType<typeof fakeGoogleFiles>;
let vendor: ReturnType<typeof fakeGoogleBatches>;

const clientOf = ({ key }: TestCaller): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gate.url } });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const line = (key: string, words = key, more = {}) =>
  JSON.stringify({
    key,
    request: {
      contents: [{ role: 'user', parts: [{ text: words }] }],
      generation_config: { maxOutputTokens: 100 },
      ...more,
    },
  });
const upload = (text: string, config = {}, client = google) =>
  client.files.upload({ file: new Blob([text]), config: { mimeType: 'jsonl', ...config } });
const submit = (src: string, client = google) =>
  client.batches.create({ model, src, config: { displayName: 'night' } });
const { parse } = JSON;
const collected = () => endTasks(gate);
const keptRows = () => gate.core.store.db.selectFrom('kept_parts').selectAll().execute();
const logRows = () => chargeRows(gate);
const atVendor = () => [...vendor.batches.values()].at(-1)!;
/** Ends the newest batch, and charges it. */
const ended = async (): Promise<void> => {
  vendor.end(atVendor().operation.name, () => answered(20, 10));
  await collected();
};
const download = async (file: string, client = google): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'results-'));
  try {
    await client.files.download({ file, downloadPath: join(folder, 'results') });
    return await readFile(join(folder, 'results'), 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
};
/** A request of an upload by hand. */
const post = (address: string, headers: Record<string, string>, body = '') =>
  fetch(address, { method: 'POST', headers, body });

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({ MAX_FILE_UPLOAD_MB: '40', USER_FILES_MB: '100' }, {}, () => now);
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1 }));
  await gate.core.settings.set('CompletionRatio', JSON.stringify({ [model]: 4 }));
  files = fakeGoogleFiles(healthy(), () => now);
  vendor = fakeGoogleBatches(files.behaviour, () => now, files);
  gate.upstream.script(vendor.behaviour);
  const mapping = JSON.stringify({ [model]: 'gemini-up' });
  await gate.addChannel({ type: 24, models: model, key: 'AIza', model_mapping: mapping });
  caller = await gate.addCaller();
  google = clientOf(caller);
});
afterEach(async () => {
  await gate.core.ledger.flush();
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.core.store.db.selectFrom('batch_items').selectAll().execute()).toEqual([]);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

describe('a batch of Google from a file', () => {
  it('has embeddings too', async () => {
    const lines = ['a', 'b'].map((key) =>
      JSON.stringify({ key, request: { content: { parts: [{ text: key }] }, output_dimensionality: 2 } }),
    );
    const { name: fileName = '' } = await upload(lines.join('\n'));
    const made = await google.batches.createEmbeddings({ model, src: { fileName } });
    expect(atVendor().requests).toEqual(lines.map((text) => parse(text) as object));
    const embedding = { values: [1, 2] };
    vendor.end(atVendor().operation.name, () => ({ response: { embedding, tokenCount: '20' } }));
    await collected();
    const { dest } = await google.batches.get({ name: made.name! });
    expect((await download(dest!.fileName!)).trimEnd().split('\n')).toHaveLength(2);
    expect((await logRows()).map(({ quota }) => quota)).toEqual([10, 10]);
    // An item of another kind is refused before anything is sent.
    const { name: chats = '' } = await upload(line('a'));
    expect(
      await readFailure(google.batches.createEmbeddings({ model, src: { fileName: chats } })),
    ).toMatchObject({ status: 400 });
    expect(vendor.batches.size).toBe(1);
  });

  it('is held for, charged by its results, and has them in a file once they are charged', async () => {
    const before = await gate.readBalance(caller);
    const input = await upload(`${['a', 'b', 'c'].map((key) => line(key)).join('\n')}\n`);
    const made = await submit(input.name!);
    expect(made).toMatchObject({ displayName: 'night', state: 'JOB_STATE_PENDING' });
    expect((await gate.readBalance(caller)).held).toBeGreaterThanOrEqual(3 * 200);
    const { model: sent, requests, operation, input: own } = atVendor();
    expect(sent).toBe('gemini-up');
    // The vendor reads what was held for: a file of the gateway's own.
    expect(own).not.toBe(input.name);
    expect(requests).toMatchObject(
      ['a', 'b', 'c'].map((key) => ({ key, request: { contents: [{ parts: [{ text: key }] }] } })),
    );
    vendor.end(operation.name, (_request, index) => (index === 1 ? failed : answered(20, 10)));
    const results = `files/${operation.name.replace('/', '-')}`;
    expect((await google.batches.get({ name: made.name! })).dest).toBeUndefined();
    expect(await readFailure(google.files.get({ name: results }))).toMatchObject({ status: 404 });
    await collected();
    const over = await google.batches.get({ name: made.name! });
    expect([over.state, over.dest?.fileName]).toEqual(['JOB_STATE_SUCCEEDED', results]);
    const lines = (await download(results)).trimEnd().split('\n');
    expect(lines.map((each) => (parse(each) as { key: string }).key)).toEqual(['c', 'b', 'a']);
    const rows = await logRows();
    expect(
      rows.map(({ quota, other }) => [quota, (parse(other) as { batch_item: string }).batch_item]),
    ).toEqual([
      [30, 'c'],
      [30, 'a'],
    ]);
    expect(await gate.readBalance(caller)).toEqual({ balance: before.balance - 60, held: 0 });
    // The gateway's own file is deleted; both of the caller are listed.
    expect(files.files.has(own!)).toBe(false);
    const listed = (await google.files.list()).page;
    expect(listed.map(({ name }) => name)).toEqual([results, input.name]);
    const other = clientOf(await gate.addCaller());
    expect(await readFailure(other.files.get({ name: results }))).toMatchObject({ status: 404 });
    expect(await readFailure(submit(input.name!, other))).toMatchObject({ status: 404 });
  });

  it('has its results even if Google does not describe their file', async () => {
    const made = await submit((await upload(line('a'))).name!);
    vendor.end(atVendor().operation.name, () => answered(20, 10));
    const known = gate.upstream;
    known.script((exchange) =>
      /\/files\/batches-\w+$/.test(exchange.path)
        ? json({ error: { code: 400, message: 'too long', status: 'INVALID_ARGUMENT' } }, 400)(exchange)
        : vendor.behaviour(exchange),
    );
    await collected();
    const { dest } = await google.batches.get({ name: made.name! });
    expect(parse(await download(dest!.fileName!))).toMatchObject({ key: 'a' });
  });

  it('has a copy, sealed and as long as the file is there', async () => {
    const words = 'a very secret question';
    const input = await upload(line('a', words));
    const rows = await keptRows();
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(words);
    expect(rows.map(({ user_id, expires_at }) => [user_id, expires_at])).toEqual(
      rows.map(() => [caller.userId, now / 1_000 + 48 * 3_600]),
    );
    await google.files.delete({ name: input.name! });
    expect(await keptRows()).toEqual([]);
    expect(await readFailure(submit(input.name!))).toMatchObject({ status: 404 });
    await upload(line('b'));
    now += 48 * 3_600_000;
    await gate.relay.keptParts.sweep();
    expect(await keptRows()).toEqual([]);
  });

  it.each<[string, object]>([
    ['application/jsonl', { mimeType: 'application/jsonl' }],
    ['application/x-jsonlines', { mimeType: 'application/x-jsonlines' }],
    ['plain text by its name', { mimeType: 'text/plain', displayName: 'calls.jsonl' }],
    ['JSON by its name', { mimeType: 'application/json', displayName: 'calls.JSONL' }],
  ])('reads a file of %s', async (_name, config) => {
    const input = await upload(line('a'), config);
    expect(await keptRows()).toHaveLength(2);
    await submit(input.name!);
    await ended();
  });

  it.each<[string, object]>([
    ['plain text', { mimeType: 'text/plain', displayName: 'calls.txt' }],
    ['a picture', { mimeType: 'image/png', displayName: 'calls.jsonl' }],
  ])('does not read a file of %s, which is not kept', async (_name, config) => {
    const input = await upload(line('a'), config);
    expect(await keptRows()).toEqual([]);
    expect(await readFailure(submit(input.name!))).toMatchObject({
      status: 400,
      message: expect.stringContaining('no copy of files/') as string,
    });
    expect(vendor.batches.size).toBe(0);
  });

  it('reads a long file that was uploaded in parts, some of them twice', async () => {
    const all = Array.from({ length: 20 }, (_, index) => line(`${index}`, `${index}`.padEnd(60_000, 'ü')));
    const text = `${all.join('\n')}\n`;
    const bytes = Buffer.from(text);
    const start = await post(
      `${gate.url}/upload/v1beta/files`,
      {
        'x-goog-api-key': caller.key,
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'x-goog-upload-header-content-type': 'application/jsonl',
        'x-goog-upload-header-content-length': String(bytes.length),
      },
      '{}',
    );
    const address = start.headers.get('x-goog-upload-url')!;
    const part = (command: string, from: number, to = bytes.length) =>
      fetch(address, {
        method: 'POST',
        headers: { 'x-goog-upload-command': command, 'x-goog-upload-offset': String(from) },
        body: new Uint8Array(bytes.subarray(from, to)),
      });
    expect((await part('upload', 0, mb)).status).toBe(200);
    // The vendor has none of this part, and the caller sends it again, with more, in other pieces.
    gate.upstream.next(json({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }, 503));
    expect((await part('upload', mb, mb + 900_000)).status).toBeGreaterThanOrEqual(500);
    expect((await part('upload', mb, mb + 262_144)).status).toBe(200);
    const last = await part('upload, finalize', mb + 262_144);
    const { file } = (await last.json()) as { file: { name: string } };
    expect(files.files.get(file.name)!.bytes.equals(bytes)).toBe(true);
    await submit(file.name);
    expect(
      atVendor().requests.map((each) => JSON.stringify({ key: each.key, request: each.request })),
    ).toEqual(all);
    await ended();
    expect(await logRows()).toHaveLength(20);
  });

  it('reads a file that was uploaded in one request of two parts', async () => {
    const all = ['a', 'b'].map((key) => line(key, key.padEnd(80_000, 'ü')));
    const body = [
      '--b',
      'Content-Type: application/json',
      '',
      '{"file":{"displayName":"calls.jsonl"}}',
      '--b',
      'Content-Type: text/plain',
      '',
      all.join('\n'),
      '--b--',
      '',
    ].join('\r\n');
    const headers = {
      'x-goog-api-key': caller.key,
      'x-goog-upload-protocol': 'multipart',
      'content-type': 'multipart/related; boundary=b',
    };
    const made = await post(`${gate.url}/upload/v1beta/files`, headers, body);
    const { file } = (await made.json()) as { file: { name: string } };
    await submit(file.name);
    expect(
      atVendor().requests.map((each) => JSON.stringify({ key: each.key, request: each.request })),
    ).toEqual(all);
    await ended();
    const pictured = body.replace('calls.jsonl', 'calls.txt');
    const kept = (await keptRows()).length;
    expect((await post(`${gate.url}/upload/v1beta/files`, headers, pictured)).status).toBe(200);
    expect(await keptRows()).toHaveLength(kept);
  });

  it('is refused if there was no room for a copy, while its upload goes on', async () => {
    const row = { object: 'x', place: 0, piece: 0, expires_at: 2_000_000_000, body_sealed: '' };
    const { db } = gate.core.store;
    const full = { ...row, user_id: caller.userId, size: 512 * mb - 100 };
    await db.insertInto('kept_parts').values(full).execute();
    const text = Array.from({ length: 30 }, () => line(Math.random().toString(36), 'ü'.repeat(600_000))).join(
      '\n',
    );
    const input = await upload(text);
    expect(input.sizeBytes).toBe(String(Buffer.byteLength(text)));
    expect(await keptRows()).toHaveLength(1);
    expect(await readFailure(submit(input.name!))).toMatchObject({
      status: 400,
      message: expect.stringContaining('space for copies may be full') as string,
    });
    expect(await gate.readBalance(caller)).toMatchObject({ held: 0 });
  });

  it.each<[string, string]>([
    ['no lines', '\n'],
    ['a line that is no JSON', `${line('a')}\n{`],
    ['a key twice', `${line('a')}\n${line('a')}`],
    ['no key', '{"request":{"contents":[]}}'],
    ['a field without effect', '{"key":"a","request":{"contents":[]},"config":{}}'],
    ['a request twice', '{"key":"a","request":{"contents":[]},"request":{"contents":[]}}'],
    ['another model', line('a', 'a', { model: 'models/other' })],
  ])('with %s is refused, and nothing is sent or held', async (_name, text) => {
    const input = await upload(text);
    expect(await readFailure(submit(input.name!))).toMatchObject({ status: 400 });
    expect([vendor.batches.size, files.files.size]).toEqual([0, 1]);
    expect(await gate.readBalance(caller)).toMatchObject({ held: 0 });
  });

  it('that Google refuses leaves no file and no hold', async () => {
    const input = await upload(line('a', 'a', { model: `models/${model}` }));
    gate.upstream.script((exchange) =>
      exchange.path.includes(':batchGenerateContent')
        ? json({ error: { code: 429, message: 'too many', status: 'RESOURCE_EXHAUSTED' } }, 429)(exchange)
        : vendor.behaviour(exchange),
    );
    expect(await readFailure(submit(input.name!))).toMatchObject({ status: 429 });
    expect([...files.files.keys()]).toEqual([input.name]);
    expect(await gate.readBalance(caller)).toMatchObject({ held: 0 });
  });
});
