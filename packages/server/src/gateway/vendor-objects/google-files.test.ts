import { randomBytes } from 'node:crypto';
import { GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeGoogleFiles } from '../../testing/upstream/fake-google-files.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

const mb = 1024 * 1024;
const model = 'gemini-2.5-flash';
const keys = ['AIza-first', 'AIza-second'];
const answer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
};
let gate: GatewayHarness;
let caller: TestCaller;
let google: GoogleGenAI;
let now: number;
let vendor: ReturnType<typeof fakeGoogleFiles>;

const clientOf = ({ key }: TestCaller): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gate.url } });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const askedKey = (): string => String(gate.upstream.requests.at(-1)!.headers['x-goog-api-key']);
const rowsOf = () => gate.core.store.db.selectFrom('vendor_objects').selectAll().execute();
const upload = (bytes: Buffer | string, config = {}, client = google) =>
  client.files.upload({
    file: new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]),
    config: { mimeType: 'text/plain', displayName: 'a.txt', ...config },
  });
const chatWith = (fileUri: string, client = google) =>
  client.models.generateContent({
    model,
    contents: [{ role: 'user', parts: [{ fileData: { fileUri, mimeType: 'text/plain' } }] }],
  });
/** A request of an upload by hand. */
const post = (address: string, headers: Record<string, string>, body: string | Buffer = '') =>
  fetch(address, { method: 'POST', headers, body: typeof body === 'string' ? body : new Uint8Array(body) });
const start = (key: string, size: number | string, more: Record<string, string> = {}) =>
  post(
    `${gate.url}/upload/v1beta/files`,
    {
      'x-goog-api-key': key,
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(size),
      ...more,
    },
    '{"file":{"displayName":"by hand"}}',
  );
const missing = { status: 404 };

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({ MAX_FILE_UPLOAD_MB: '20', USER_FILES_MB: '24' }, {}, () => now);
  vendor = fakeGoogleFiles(json(answer), () => now);
  gate.upstream.script(vendor.behaviour);
  for (const key of keys) await gate.addChannel({ name: key, type: 24, key, models: model });
  caller = await gate.addCaller();
  google = clientOf(caller);
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

describe("Google's files", () => {
  it('are uploaded in parts, described, listed and deleted by the official client, and cost nothing', async () => {
    const before = await gate.readBalance(caller);
    const bytes = randomBytes(17 * mb);
    const made = await upload(bytes);
    expect(made).toMatchObject({
      displayName: 'a.txt',
      sizeBytes: String(bytes.length),
      state: 'PROCESSING',
    });
    expect(vendor.files.get(made.name!)!.bytes.equals(bytes)).toBe(true);
    // One start and three parts, all with the key of the channel and without that of the caller.
    expect(gate.upstream.requests.map(({ headers }) => headers['x-goog-upload-command'])).toEqual([
      'start',
      'upload',
      'upload',
      'upload, finalize',
    ]);
    const key = askedKey();
    expect(new Set(gate.upstream.requests.map(({ headers }) => headers['x-goog-api-key']))).toEqual(
      new Set([key]),
    );
    const listed = async () => (await google.files.list()).page;
    expect(await listed()).toEqual([made]);
    expect(await google.files.get({ name: made.name! })).toEqual({ ...made, state: 'ACTIVE' });
    expect(await listed()).toEqual([{ ...made, state: 'ACTIVE' }]);
    expect(askedKey()).toBe(key);
    for (const version of ['v1', 'v1beta']) {
      const read = await fetch(`${gate.url}/${version}/${made.name}:download?alt=media`, {
        headers: { 'x-goog-api-key': caller.key },
      });
      expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
      expect(read.headers.get('content-disposition')).toBe('attachment');
    }
    await google.files.delete({ name: made.name! });
    expect(await listed()).toEqual([]);
    expect(await readFailure(google.files.get({ name: made.name! }))).toMatchObject(missing);
    expect(vendor.files.size).toBe(0);
    expect(await gate.readBalance(caller)).toEqual(before);
    expect(JSON.stringify(gate.upstream.requests.map(({ headers }) => headers))).not.toContain(
      caller.key.slice(3),
    );
  });

  it('have an address of this site for their upload, which another process takes without a key', async () => {
    const started = await start(caller.key, 6);
    const address = started.headers.get('x-goog-upload-url')!;
    expect(address).toMatch(new RegExp(`^${gate.url}/upload/v1beta/files\\?upload_id=v2`));
    for (const secret of [...keys, 'upload.invalid', caller.key.slice(3)])
      expect(address).not.toContain(secret);
    const part = (command: string, offset: number, body: string) =>
      post(address, { 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) }, body);
    expect((await part('upload', 0, 'abc')).headers.get('x-goog-upload-status')).toBe('active');
    const asked = await part('query', 0, '');
    expect(asked.headers.get('x-goog-upload-size-received')).toBe('3');
    // More than was announced does not pass, and the upload goes on.
    expect((await part('upload', 3, 'defg')).status).toBe(413);
    const last = await part('upload, finalize', 3, 'def');
    expect(last.headers.get('x-goog-upload-status')).toBe('final');
    const { file } = (await last.json()) as { file: { name: string } };
    expect(vendor.files.get(file.name)!.bytes.toString()).toBe('abcdef');
    expect(await google.files.get({ name: file.name })).toMatchObject({ displayName: 'by hand' });
    expect((await rowsOf()).map(({ bytes }) => bytes)).toEqual([6]);
  });

  it('go to the host of their channel, whatever address their vendor names', async () => {
    gate.upstream.next(async (exchange) => {
      exchange.head(200, { 'x-goog-upload-url': 'https://upload.invalid//127.0.0.1:9/take?upload_id=up1' });
      await exchange.end(Buffer.alloc(0));
    });
    const address = (await start(caller.key, 3)).headers.get('x-goog-upload-url')!;
    await post(address, { 'x-goog-upload-command': 'cancel' });
    expect(gate.upstream.requests.at(-1)!.path).toBe('//127.0.0.1:9/take?upload_id=up1');
    await gate.core.store.db.deleteFrom('vendor_objects').execute();
  });

  it('end their upload with the key, with a forged address, after six hours and when it is cancelled', async () => {
    const cancelled = (await start(caller.key, 3)).headers.get('x-goog-upload-url')!;
    expect((await rowsOf()).length).toBe(1);
    const gone = await post(cancelled, { 'x-goog-upload-command': 'cancel' });
    expect(gone.headers.get('x-goog-upload-status')).toBe('cancelled');
    expect(await rowsOf()).toEqual([]);
    const address = (await start(caller.key, 3)).headers.get('x-goog-upload-url')!;
    const finish = (to: string) =>
      post(to, { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' }, 'abc');
    const sent = gate.upstream.requests.length;
    expect((await finish(address.replace('upload_id=v2.', 'upload_id=v2.A'))).status).toBe(404);
    await gate.core.store.db
      .updateTable('tokens')
      .set({ status: 2 })
      .where('id', '=', caller.tokenId)
      .execute();
    expect((await finish(address)).status).toBe(401);
    await gate.core.store.db
      .updateTable('tokens')
      .set({ status: 1 })
      .where('id', '=', caller.tokenId)
      .execute();
    now += 6 * 3_600_000;
    expect((await finish(address)).status).toBe(404);
    expect(gate.upstream.requests).toHaveLength(sent);
    expect(vendor.files.size).toBe(0);
  });

  it('are uploaded in one request of two parts', async () => {
    const body = [
      '--b',
      'Content-Type: application/json',
      '',
      '{"file":{"mimeType":"text/plain","displayName":"parts"}}',
      '--b',
      'Content-Type: text/plain',
      '',
      'x'.repeat(70_000),
      '--b--',
      '',
    ].join('\r\n');
    const headers = {
      'x-goog-api-key': caller.key,
      'x-goog-upload-protocol': 'multipart',
      'content-type': 'multipart/related; boundary=b',
    };
    const made = await post(`${gate.url}/upload/v1beta/files`, headers, body);
    const { file } = (await made.json()) as { file: { name: string; displayName: string } };
    expect(file.displayName).toBe('parts');
    expect(vendor.files.get(file.name)!.bytes.toString()).toBe('x'.repeat(70_000));
    expect(await google.files.get({ name: file.name })).toMatchObject({ sizeBytes: '70000' });
  });

  it('take the calls that name them to their channel, however the address is written', async () => {
    for (let round = 0; round < 4; round += 1) {
      const made = await upload(`${round}`);
      const key = askedKey();
      for (const uri of [
        made.uri!,
        made.name!,
        made.uri!.replace('files/f', 'files/%66'),
        made.uri!.replace('v1beta', 'v1'),
      ]) {
        await chatWith(uri);
        expect(askedKey(), uri).toBe(key);
      }
      const snake = await post(
        `${gate.url}/v1beta/models/${model}:generateContent`,
        { 'x-goog-api-key': caller.key },
        JSON.stringify({ contents: [{ parts: [{ file_data: { file_uri: made.uri } }] }] }),
      );
      expect([snake.status, askedKey()]).toEqual([200, key]);
      gate.upstream.next('refuse-500');
      const sent = gate.upstream.requests.length;
      expect(await readFailure(chatWith(made.uri!))).toMatchObject({ status: 500 });
      expect(gate.upstream.requests).toHaveLength(sent + 1);
    }
    // Addresses elsewhere, and files that are unknown here, pass.
    for (const uri of ['https://example.com/files/f1-abc', 'gs://bucket/files/f1-abc', 'files/unknown'])
      await chatWith(uri);
  });

  it('do not exist for anybody else', async () => {
    const made = await upload('secret');
    const other = clientOf(await gate.addCaller({ role: 100 }));
    const sent = gate.upstream.requests.length;
    const calls = [
      () => other.files.get({ name: made.name! }),
      () => other.files.delete({ name: made.name! }),
      () => chatWith(made.uri!, other),
      () => chatWith(made.uri!.toUpperCase(), other),
      () =>
        other.models.countTokens({ model, contents: [{ parts: [{ fileData: { fileUri: made.uri! } }] }] }),
    ];
    for (const call of calls) expect(await readFailure(call())).toMatchObject(missing);
    expect((await fetch(`${gate.url}/v1beta/${made.name}:download`)).status).toBe(401);
    expect((await other.files.list()).page).toEqual([]);
    expect(gate.upstream.requests).toHaveLength(sent);
    expect((await google.files.list()).page).toHaveLength(1);
  });

  it('are listed in pages, and expire after two days', async () => {
    const names: string[] = [];
    for (let index = 0; index < 5; index += 1) names.push((await upload(`${index}`)).name!);
    const walked: string[] = [];
    for await (const { name } of await google.files.list({ config: { pageSize: 2 } })) walked.push(name!);
    expect(walked).toEqual(names.toReversed());
    now += 48 * 3_600_000;
    expect((await google.files.list()).page).toEqual([]);
    expect(await readFailure(google.files.get({ name: names[0]! }))).toMatchObject(missing);
  });

  it('count in the bounds of file and user, and leave nothing if the vendor refuses', async () => {
    expect((await start(caller.key, 20 * mb + 1)).status).toBe(413);
    expect(gate.upstream.requests).toHaveLength(0);
    const address = (await start(caller.key, 20 * mb)).headers.get('x-goog-upload-url')!;
    const full = await start(caller.key, 5 * mb);
    expect([full.status, JSON.stringify(await full.json())]).toEqual([413, expect.stringContaining('24 MB')]);
    await post(address, { 'x-goog-upload-command': 'cancel' });
    gate.upstream.next((exchange) => {
      const message = `no ${String(exchange.headers['x-goog-api-key'])}`;
      return json({ error: { code: 400, message, status: 'X' } }, 400)(exchange);
    });
    const refused = await start(caller.key, 5 * mb);
    expect([refused.status, await refused.text()]).toEqual([400, expect.not.stringMatching(/AIza-/)]);
    gate.upstream.next(json({}));
    expect((await start(caller.key, 5 * mb)).status).toBe(502);
    expect(await rowsOf()).toEqual([]);
    // Other protocols of uploads are not offered.
    expect((await start(caller.key, 1, { 'x-goog-upload-protocol': 'raw' })).status).toBe(501);
    expect((await start(caller.key, 1, { 'x-goog-upload-command': 'start, upload' })).status).toBe(501);
  });
});
