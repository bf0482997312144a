import { randomBytes } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeFiles } from '../../testing/upstream/fake-files.ts';
import { healthy, json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

const mb = 1024 * 1024;
const model = 'gpt-4o-mini';
const keys = ['sk-first', 'sk-second', 'sk-third'];
let gate: GatewayHarness;
let caller: TestCaller;
let sdk: OpenAI;
let now: number;
let vendor: ReturnType<typeof fakeFiles>;
const servers: Server[] = [];

const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
const readFailure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const askedKey = (): string => String(gate.upstream.requests.at(-1)!.headers.authorization).slice(7);
const upload = (client: OpenAI, bytes: Buffer | string, name = 'a.txt') =>
  toFile(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, name, { type: 'text/plain' }).then((file) =>
    client.files.create({ file, purpose: 'user_data' }),
  );
const rowsOf = () => gate.core.store.db.selectFrom('vendor_objects').selectAll().execute();
const chatWith = (fileId: string) => ({
  model,
  messages: [{ role: 'user' as const, content: [{ type: 'file' as const, file: { file_id: fileId } }] }],
});
const missing = { status: 404, code: 'file_not_found', type: 'invalid_request_error' };

beforeEach(async () => {
  now = 1_800_000_000_000;
  gate = await openGateway({ MAX_FILE_UPLOAD_MB: '1', USER_FILES_MB: '2' }, {}, () => now);
  vendor = fakeFiles(healthy(), () => now);
  gate.upstream.script(vendor.behaviour);
  for (const key of keys) await gate.addChannel({ name: key, key });
  caller = await gate.addCaller();
  sdk = clientOf(caller);
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

describe('a file', () => {
  it('is uploaded, listed, described, read and deleted on the channel that has it, and costs nothing', async () => {
    const bytes = randomBytes(300_000);
    const before = await gate.readBalance(caller);
    const made = await upload(sdk, bytes, 'naïve "name".bin');
    expect(made).toMatchObject({ object: 'file', bytes: bytes.length, purpose: 'user_data' });
    expect(vendor.files.get(made.id)!.bytes.equals(bytes)).toBe(true);
    const key = askedKey();
    for (let round = 0; round < 4; round += 1) {
      expect(await sdk.files.retrieve(made.id)).toEqual(made);
      expect(askedKey()).toBe(key);
      const content = await sdk.files.content(made.id);
      expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
      expect(content.headers.get('content-disposition')).toContain('attachment');
    }
    expect((await sdk.files.list()).data).toEqual([made]);
    expect(await sdk.files.delete(made.id)).toEqual({ id: made.id, object: 'file', deleted: true });
    expect((await sdk.files.list()).data).toEqual([]);
    expect(await readFailure(sdk.files.retrieve(made.id))).toMatchObject(missing);
    expect(vendor.files.size).toBe(0);
    expect(await gate.readBalance(caller)).toEqual(before);
    expect(JSON.stringify(gate.upstream.requests.map(({ headers }) => headers))).not.toContain(caller.key);
  });

  it('is never a page of this site, whatever its vendor calls it', async () => {
    const { id } = await upload(sdk, '<script>');
    for (const disposition of ['inline; filename="a.html"', undefined]) {
      gate.upstream.next(async (exchange) => {
        exchange.head(200, {
          'content-type': 'text/html',
          ...(disposition && { 'content-disposition': disposition }),
        });
        await exchange.end('<script>');
      });
      const { headers } = await fetch(`${gate.url}/v1/files/${id}/content?key=${caller.key}`);
      expect([
        headers.get('content-disposition'),
        headers.get('content-security-policy'),
        headers.get('x-content-type-options'),
      ]).toEqual(['attachment', 'sandbox', 'nosniff']);
    }
  });

  it('is read while it arrives, however long it is', async () => {
    const { id } = await upload(sdk, 'x');
    gate.upstream.next(async (exchange) => {
      exchange.head(200, { 'content-type': 'application/octet-stream' });
      await exchange.end(Buffer.alloc(3 * mb));
    });
    expect((await (await sdk.files.content(id)).arrayBuffer()).byteLength).toBe(3 * mb);
  });

  it('is listed in pages, by purpose and in both orders', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) made.push((await upload(sdk, `${index}`)).id);
    const walked: string[] = [];
    for await (const { id } of sdk.files.list({ limit: 2, order: 'asc' })) walked.push(id);
    expect(walked).toEqual(made);
    expect((await sdk.files.list({ limit: 2 })).data.map(({ id }) => id)).toEqual(made.slice(3).toReversed());
    expect((await sdk.files.list({ purpose: 'vision' })).data).toEqual([]);
    expect(await readFailure(sdk.files.list({ after: 'file-unknown' }))).toMatchObject(missing);
    for (const query of ['limit=0', 'order=up', 'before_id=file-1']) {
      const headers = { authorization: `Bearer ${caller.key}`, 'accept-language': 'en' };
      const refused = await fetch(`${gate.url}/v1/files?${query}`, { headers });
      const [name] = query.split('=', 1);
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(name!)]);
    }
  });

  it('does not exist for anybody else, in any call', async () => {
    const made = await upload(sdk, 'secret');
    const others = [await gate.addCaller(), await gate.addCaller({ role: 100 })];
    const sent = gate.upstream.requests.length;
    for (const other of others) {
      const client = clientOf(other);
      const calls: (() => Promise<unknown>)[] = [
        () => client.files.retrieve(made.id),
        () => client.files.content(made.id),
        () => client.files.delete(made.id),
        () => client.files.list({ after: made.id }),
        () => client.chat.completions.create(chatWith(made.id)),
        () =>
          client.responses.create({
            model,
            input: [{ role: 'user', content: [{ type: 'input_file', file_id: made.id }] }],
          }),
        () =>
          client.responses.create({
            model,
            input: 'x',
            tools: [
              { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-unknown', made.id] } },
            ],
          }),
        () =>
          client.post('/chat/completions', {
            body: Buffer.from(JSON.stringify(chatWith(made.id)).replace('file_id', String.raw`\u0066ile_id`)),
            headers: { 'content-type': 'application/json' },
          }),
      ];
      for (const call of calls) expect(await readFailure(call())).toMatchObject(missing);
      expect((await client.files.list()).data).toEqual([]);
      expect(await gate.readBalance(other)).toEqual({ balance: 5_000_000, held: 0 });
    }
    expect(gate.upstream.requests).toHaveLength(sent);
    for (const key of ['', 'sk-wrong']) {
      const headers = { authorization: `Bearer ${key}` };
      for (const [method, path] of [
        ['POST', ''],
        ['GET', ''],
        ['GET', `/${made.id}`],
        ['DELETE', `/${made.id}`],
        ['GET', `/${made.id}/content`],
      ] as const)
        expect((await fetch(`${gate.url}/v1/files${path}`, { method, headers })).status).toBe(401);
    }
    expect((await sdk.files.list()).data).toEqual([made]);
  });

  it('takes the calls that name it to its channel, and to no other when that one fails', async () => {
    await gate.core.settings.set('RetryTimes', '3');
    for (let round = 0; round < 6; round += 1) {
      const { id } = await upload(sdk, `${round}`);
      const made = askedKey();
      await sdk.chat.completions.create(chatWith(id));
      expect(askedKey()).toBe(made);
      gate.upstream.next(json({ id: 'resp_1', object: 'response', status: 'completed', output: [] }));
      await sdk.responses.create({
        model,
        input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }],
      });
      expect(askedKey()).toBe(made);
      const sent = gate.upstream.requests.length;
      gate.upstream.next('refuse-500');
      expect(await readFailure(sdk.chat.completions.create(chatWith(id)))).toMatchObject({ status: 500 });
      expect(gate.upstream.requests).toHaveLength(sent + 1);
    }
    // One that is unknown here passes as before, and may be tried elsewhere.
    const sent = gate.upstream.requests.length;
    gate.upstream.next('refuse-500');
    await sdk.chat.completions.create(chatWith('file-of-the-operator'));
    expect(gate.upstream.requests).toHaveLength(sent + 2);
  });

  it('is not found with files of other channels, or once its channel does not serve the call', async () => {
    const places = new Map<string, string>();
    for (let round = 0; places.size < 2; round += 1) {
      const { id } = await upload(sdk, `${round}`);
      places.set(askedKey(), id);
    }
    const [one, two] = [...places.values()] as [string, string];
    const both = { model, messages: [...chatWith(one).messages, ...chatWith(two).messages] };
    expect(await readFailure(sdk.chat.completions.create(both))).toMatchObject(missing);
    const id = keys.indexOf([...places.keys()][0]!) + 1;
    for (const [change, back] of [
      [{ status: 2 }, { status: 1 }],
      [{ models: 'gpt-4o' }, { models: model }],
    ]) {
      await gate.core.channels.update({ id, ...change });
      expect(await readFailure(sdk.chat.completions.create(chatWith(one)))).toMatchObject(missing);
      await gate.core.channels.update({ id, ...back });
    }
    await sdk.chat.completions.create(chatWith(one));
    // Nothing can reach the vendor without the channel, and its bytes count no longer.
    await gate.core.channels.remove([id]);
    expect(await readFailure(sdk.files.retrieve(one))).toMatchObject(missing);
    await sdk.files.delete(one);
    expect((await sdk.files.list()).data.map((file) => file.id)).not.toContain(one);
  });

  it('is forgotten when it expires', async () => {
    const file = await toFile(Buffer.from('x'), 'a.txt');
    const made = await sdk.files.create({
      file,
      purpose: 'user_data',
      expires_after: { anchor: 'created_at', seconds: 3_600 },
    });
    now += 3_599_000;
    expect((await sdk.files.list()).data).toEqual([made]);
    now += 1_000;
    expect((await sdk.files.list()).data).toEqual([]);
    expect(await readFailure(sdk.files.retrieve(made.id))).toMatchObject(missing);
    await gate.relay.storedResponses.sweep();
    expect(await rowsOf()).toEqual([]);
  });

  it('that its vendor has deleted is forgotten by its deletion', async () => {
    const { id } = await upload(sdk, 'x');
    vendor.files.clear();
    expect(await readFailure(sdk.files.delete(id))).toMatchObject({ status: 404 });
    expect(await rowsOf()).toEqual([]);
  });
});

describe('an upload', () => {
  it('goes to a channel that serves the model of its query, and to one that keeps files', async () => {
    await gate.addChannel({ name: 'other', key: 'sk-other', models: 'gpt-4o' });
    await gate.addChannel({ name: 'claude', type: 14, models: 'a-claude,claude-sonnet-4-5' });
    for (let round = 0; round < 4; round += 1) {
      await sdk.files.create(
        { file: await toFile(Buffer.from('x'), 'a.txt'), purpose: 'user_data' },
        { query: { model: 'gpt-4o' } },
      );
      expect(askedKey()).toBe('sk-other');
    }
    const asked = async (name: string) =>
      readFailure(
        sdk.files.create(
          { file: await toFile(Buffer.from('x'), 'a.txt'), purpose: 'user_data' },
          { query: { model: name } },
        ),
      );
    expect(await asked('claude-sonnet-4-5')).toMatchObject({ status: 501 });
    expect(await asked('nothing')).toMatchObject({ status: 404, code: 'model_not_found' });
    expect(await rowsOf()).toHaveLength(4);
  });

  it('to Azure has the path and key of Azure', async () => {
    await gate.addChannel({ name: 'azure', type: 3, key: 'azure-key', models: 'gpt-azure' });
    await sdk.files.create(
      { file: await toFile(Buffer.from('x'), 'a.txt'), purpose: 'assistants' },
      { query: { model: 'gpt-azure' } },
    );
    const { path, headers } = gate.upstream.requests.at(-1)!;
    expect(path).toBe('/openai/v1/files?api-version=preview');
    expect(headers['api-key']).toBe('azure-key');
  });

  it('never exceeds the bytes of a file or of its user, however many there are at once', async () => {
    expect(await readFailure(upload(sdk, Buffer.alloc(mb + 1)))).toMatchObject({ status: 413 });
    expect(await rowsOf()).toEqual([]);
    const results = await Promise.all(
      Array.from({ length: 12 }, () => readFailure(upload(sdk, Buffer.alloc(600_000)))),
    );
    const kept = results.filter((each) => !(each instanceof Error)) as { id: string }[];
    expect(kept.length).toBeLessThanOrEqual(3);
    const refusals = results.filter((each) => each instanceof Error);
    expect(refusals.map((each) => (each as { code?: string }).code)).toEqual(
      refusals.map(() => 'files_full'),
    );
    const bytes = (await rowsOf()).reduce((sum, row) => sum + row.bytes, 0);
    expect(bytes).toBe(kept.length * 600_000);
    expect(vendor.files.size).toBe(kept.length);
    // Another user has room, and so has this one after a deletion.
    await upload(clientOf(await gate.addCaller()), Buffer.alloc(600_000));
    for (const { id } of kept) await sdk.files.delete(id);
    for (let index = 0; index < 3; index += 1) await upload(sdk, Buffer.alloc(600_000));
    expect(await readFailure(upload(sdk, Buffer.alloc(600_000)))).toMatchObject({ code: 'files_full' });
  });

  const boundary = 'b0undary';
  const formOf = (content: string, purpose: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${content}\r\n` +
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n--${boundary}--\r\n`;
  /** Sends a form by hand. */
  const post = async (body: string | ReadableStream, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${gate.url}/v1/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...headers,
      },
      body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });
    return {
      status: answer.status,
      body: (await answer.json()) as { error?: { code: string; message: string } },
    };
  };

  it('of unknown length is sent in chunks, with room for the largest file', async () => {
    const stream = (content: string) => new Blob([formOf(content, 'user_data')]).stream();
    expect((await post(stream('x'.repeat(200_000)))).status).toBe(200);
    expect(gate.upstream.requests.at(-1)!.headers['transfer-encoding']).toBe('chunked');
    expect((await rowsOf()).map(({ bytes }) => bytes)).toEqual([200_000]);
    expect((await post(stream('x'.repeat(mb + 1)))).status).toBe(413);
    await upload(sdk, Buffer.alloc(mb));
    expect((await post(stream('x'))).body.error).toMatchObject({ code: 'files_full' });
    expect(await rowsOf()).toHaveLength(2);
  });

  it('with a purpose that is not offered, or with a broken form, leaves nothing at the vendor', async () => {
    for (const [body, status, code] of [
      [formOf('x'.repeat(100_000), 'evals'), 501, 'api_not_implemented'],
      [formOf('x', 'fine-tune'), 501, 'api_not_implemented'],
      [formOf('x', 'user_data').slice(0, -10), 400, 'invalid_form'],
      [formOf('x', 'user_data').replace('"file"', '"image"'), 400, 'invalid_request'],
    ] as const) {
      const refused = await post(body);
      expect([refused.status, refused.body.error?.code]).toEqual([status, code]);
    }
    expect((await post('{}', { 'content-type': 'application/json' })).status).toBe(400);
    expect((await post('x', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect(gate.upstream.requests).toHaveLength(0);
    expect(await rowsOf()).toEqual([]);
  });

  it('that its caller breaks off leaves nothing at the vendor, and frees its bytes', async () => {
    const { port } = new URL(gate.url);
    const socket = connect(Number(port), '127.0.0.1');
    const form = formOf('x'.repeat(300_000), 'user_data');
    socket.write(
      `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${caller.key}\r\ncontent-length: ${form.length}\r\n` +
        `content-type: multipart/form-data; boundary=${boundary}\r\n\r\n${form.slice(0, 200_000)}`,
    );
    await expect.poll(async () => (await rowsOf()).length).toBe(1);
    socket.destroy();
    await expect.poll(rowsOf).toEqual([]);
    expect(gate.upstream.requests).toHaveLength(0);
  });

  it('without an end counts until its process must be dead', async () => {
    const { vendorFiles } = gate.relay.gateway;
    const entry = { userId: caller.userId, requestId: 'died', api: 'openai' as const };
    expect(await vendorFiles.reserve(entry, { id: 1, keyId: '' }, 2 * mb)).toBe(true);
    expect(await readFailure(upload(sdk, 'x'))).toMatchObject({ code: 'files_full' });
    now += 6 * 3_600_000;
    await upload(sdk, 'x');
    await gate.relay.storedResponses.sweep();
    await expect(vendorFiles.keep(entry, { id: 'file-late' }, 1)).rejects.toThrow('expired');
    expect(await rowsOf()).toHaveLength(1);
  });

  it('that cannot be given to its caller is deleted at the vendor', async () => {
    gate.upstream.next(async (exchange) => {
      now += 6 * 3_600_000;
      await gate.relay.storedResponses.sweep();
      await vendor.behaviour(exchange);
    });
    expect(await readFailure(upload(sdk, 'x'))).toMatchObject({ status: 500 });
    expect(gate.upstream.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(vendor.files.size).toBe(0);
    expect(await rowsOf()).toEqual([]);
  });

  it('refused by the vendor, at once or at its end, passes the refusal without the key of the channel', async () => {
    const refusal = (exchange: Parameters<typeof vendor.behaviour>[0]) =>
      json(
        {
          error: { message: `bad ${String(exchange.headers.authorization)}`, type: 'invalid_request_error' },
        },
        400,
      )(exchange);
    gate.upstream.next(refusal);
    const failed = await readFailure(upload(sdk, 'x'));
    expect(failed).toMatchObject({ status: 400 });
    expect(JSON.stringify(failed)).not.toMatch(/sk-(?:first|second|third)/);
    gate.upstream.next(json({ object: 'file' }));
    expect(await readFailure(upload(sdk, 'x'))).toMatchObject({ status: 502 });
    // On a bare socket, which stays open: Node's server closes at once, and its answer may be lost with a reset.
    const body = '{"error":{"message":"too much"}}';
    const early = createSocketServer((socket) => {
      socket.once('data', () => {
        socket.write(
          `HTTP/1.1 413 Too Large\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
        socket.on('error', () => undefined).resume();
      });
    });
    await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve));
    const { port } = early.address() as AddressInfo;
    await gate.addChannel({ name: 'early', models: 'gpt-early', base_url: `http://127.0.0.1:${port}` });
    const file = await toFile(Buffer.alloc(mb), 'a.txt');
    const asked = sdk.files.create({ file, purpose: 'user_data' }, { query: { model: 'gpt-early' } });
    expect(await readFailure(asked)).toMatchObject({
      status: 413,
      message: expect.stringContaining('too much') as string,
    });
    early.close();
    expect(await rowsOf()).toEqual([]);
  });
});

describe("Anthropic's files", () => {
  const claude = 'claude-fable-5';
  const anthropicOf = ({ key }: TestCaller) =>
    new Anthropic({ apiKey: key, baseURL: gate.url, maxRetries: 0 });
  const leave = (client: Anthropic, more = {}, bytes = Buffer.from('%PDF')) =>
    toFile(bytes, 'a.pdf', { type: 'application/pdf' }).then((file) =>
      client.beta.files.upload({ file, betas: ['files-api-2025-04-14'], ...more }),
    );
  const messageWith = (fileId: string) => ({
    model: claude,
    max_tokens: 5,
    messages: [
      {
        role: 'user' as const,
        content: [{ type: 'document' as const, source: { type: 'file' as const, file_id: fileId } }],
      },
    ],
    betas: ['files-api-2025-04-14'],
  });
  const countOf = (fileId: string) => {
    const { max_tokens: _, ...asked } = messageWith(fileId);
    return asked;
  };
  const unknown = { status: 404, error: { type: 'error', error: { type: 'not_found_error' } } };
  let client: Anthropic;
  beforeEach(async () => {
    for (const key of ['sk-ant-1', 'sk-ant-2'])
      await gate.addChannel({ name: key, type: 14, key, models: claude });
    client = anthropicOf(caller);
  });

  it('are uploaded, listed, described, read and deleted in its own calls', async () => {
    const made = await leave(client);
    expect(made).toMatchObject({ type: 'file', size_bytes: 4, mime_type: 'application/pdf' });
    const { headers, path } = gate.upstream.requests.at(-1)!;
    expect([path, headers['anthropic-beta']]).toEqual(['/v1/files', 'files-api-2025-04-14']);
    const key = headers['x-api-key'];
    expect(await client.beta.files.retrieveMetadata(made.id)).toEqual(made);
    expect(await (await client.beta.files.download(made.id)).text()).toBe('%PDF');
    const second = await leave(client);
    const walked: string[] = [];
    for await (const { id } of client.beta.files.list({ limit: 1 })) walked.push(id);
    expect(walked).toEqual([second.id, made.id]);
    expect((await client.beta.files.list({ ids: [made.id, 'file_x'] })).data).toEqual([made]);
    expect(await readFailure(client.beta.files.list({ scope_id: 's' }))).toMatchObject({ status: 400 });
    for (let round = 0; round < 4; round += 1) {
      gate.upstream.next(
        json({ type: 'message', id: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } }),
      );
      await client.beta.messages.create(messageWith(made.id));
      expect(gate.upstream.requests.at(-1)!.headers['x-api-key']).toBe(key);
      gate.upstream.next(json({ input_tokens: 1234 }));
      expect(await client.beta.messages.countTokens(countOf(made.id))).toEqual({ input_tokens: 1234 });
      expect(gate.upstream.requests.at(-1)!.headers['x-api-key']).toBe(key);
    }
    expect(await client.beta.files.delete(made.id)).toEqual({ id: made.id, type: 'file_deleted' });
    expect((await client.beta.files.list()).data).toEqual([second]);
  });

  it('do not exist for anybody else, nor in the calls of OpenAI', async () => {
    const made = await leave(client);
    const other = anthropicOf(await gate.addCaller());
    const sent = gate.upstream.requests.length;
    const calls: (() => Promise<unknown>)[] = [
      () => other.beta.files.retrieveMetadata(made.id),
      () => other.beta.files.download(made.id),
      () => other.beta.files.delete(made.id),
      () => other.beta.messages.create(messageWith(made.id)),
      () => other.beta.messages.countTokens(countOf(made.id)),
    ];
    for (const call of calls) expect(await readFailure(call())).toMatchObject(unknown);
    expect((await other.beta.files.list()).data).toEqual([]);
    expect((await sdk.files.list()).data).toEqual([]);
    expect(await readFailure(sdk.files.retrieve(made.id))).toMatchObject(missing);
    expect(gate.upstream.requests).toHaveLength(sent);
    const openaiFile = await upload(sdk, 'x');
    expect((await client.beta.files.list()).data).toEqual([made]);
    expect(await readFailure(client.beta.files.retrieveMetadata(openaiFile.id))).toMatchObject(unknown);
  });

  it('expire, count in the same bound, and pass the refusals of their vendor in its shape', async () => {
    await leave(client, { expires_in_seconds: 3_600 });
    now += 3_600_000;
    expect((await client.beta.files.list()).data).toEqual([]);
    await upload(sdk, Buffer.alloc(mb - 1_000));
    await upload(sdk, Buffer.alloc(mb - 1_000));
    expect(await readFailure(leave(client, {}, Buffer.alloc(5_000)))).toMatchObject({
      status: 413,
      error: { error: { type: 'request_too_large' } },
    });
    const [file] = (await sdk.files.list()).data;
    await sdk.files.delete(file!.id);
    gate.upstream.next(
      json({ type: 'error', error: { type: 'invalid_request_error', message: 'beta needed' } }, 400),
    );
    expect(await readFailure(leave(client))).toMatchObject({
      status: 400,
      error: { error: { type: 'invalid_request_error', message: 'beta needed' } },
    });
  });
});

it('an upload is read no faster than its vendor takes it', async () => {
  const large = await openGateway({ MAX_FILE_UPLOAD_MB: '512' });
  try {
    const sizes: number[] = [];
    let go: (() => void) | undefined;
    const slow = createServer((req, res) => {
      let size = 0;
      go = () => {
        req.on('data', (chunk: Buffer) => (size += chunk.length));
        req.on('end', () => {
          sizes.push(size);
          res.setHeader('content-type', 'application/json');
          res.end(JSON.stringify({ id: 'file-1', object: 'file', purpose: 'user_data' }));
        });
      };
    });
    servers.push(slow);
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    await large.addChannel({ base_url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}` });
    const someone = await large.addCaller();
    const head =
      '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n' +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const total = 96 * mb;
    const length = head.length + total + '\r\n--b--\r\n'.length;
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${large.url}/v1/files`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${someone.key}`,
          'content-type': 'multipart/form-data; boundary=b',
          'content-length': length,
        },
      });
      sent.on('response', (res) => resolve(res.resume().statusCode)).on('error', reject);
      sent.write(head);
      let left = total;
      const more = (): void => {
        while (left > 0) {
          const piece = Buffer.alloc(Math.min(left, mb), 'x');
          left -= piece.length;
          if (!sent.write(piece)) return void sent.once('drain', more);
        }
        sent.end('\r\n--b--\r\n');
      };
      more();
      taken = () => (sent.socket?.bytesWritten ?? 0) - sent.writableLength;
    });
    await expect.poll(() => go).toBeDefined();
    // Until nothing moves any more.
    for (let before = -1; before !== taken();) {
      before = taken();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // Sockets of the system hold some megabytes on each side.
    expect(taken()).toBeLessThan(40 * mb);
    expect(large.relay.bodyBytes()).toBe(0);
    go!();
    expect(await answered).toBe(200);
    expect(sizes).toEqual([length]);
  } finally {
    await large.close();
  }
});
/** Bytes that the system has taken from the caller. */
let taken: () => number = () => 0;
