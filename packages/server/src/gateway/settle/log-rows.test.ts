import { logType } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { logs } from '../../store/index.ts';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, delta, event } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
const messages = [{ role: 'user', content: 'hello' }];

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel();
  caller = await gate.addCaller();
});
afterAll(() => gate.close());

const post = (path: string): Promise<Response> =>
  fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 100, messages }),
  });

/** The newest row of a kind. */
async function newest(type: number) {
  const filters = {
    type,
    start_timestamp: 0,
    end_timestamp: 0,
    username: '',
    token_name: '',
    model_name: '',
    request_id: '',
  };
  const page = await gate.core.logs.list({ ...filters, channel: 0, group: '' }, { page: 1, pageSize: 1 });
  return page.items[0]!;
}

describe('the log row of a call', () => {
  it('shows when the caller used Anthropic’s protocol, by the name in the specification', async () => {
    await (await post('/v1/messages')).json();
    expect(JSON.parse((await newest(logType.consume)).other)).toMatchObject({ claude: true });
    await (await post('/v1/chat/completions')).json();
    expect(JSON.parse((await newest(logType.consume)).other)).not.toHaveProperty('claude');
  });

  it('that failed has the group it was made in, so that the filter by group finds it', async () => {
    gate.upstream.next(refuse(400));
    expect((await post('/v1/chat/completions')).status).toBe(400);
    await expect
      .poll(() => newest(logType.error))
      .toMatchObject({
        group: 'default',
        use_time: 0,
        model_name: 'gpt-4o-mini',
        channel_name: 'fake',
      });
  });

  it('that failed on a channel shows operators all attempts, and its user only what was answered', async () => {
    gate.upstream.next(refuse(401, { message: 'key sk-upstream is wrong' }));
    expect((await post('/v1/chat/completions')).status).toBe(502);
    await expect
      .poll(async () => JSON.parse((await newest(logType.error)).other) as unknown)
      .toMatchObject({
        error_code: 'upstream_rejected_channel',
        status_code: 502,
        channel_name: 'fake',
        request_path: '/v1/chat/completions',
        admin_info: {
          tries: [{ status: 401, reason: expect.any(String) as string }],
          error: { status: 401, message: 'key sk-upstream is wrong' },
        },
      });
    const own = await gate.core.logs.ownList(
      caller.userId,
      {
        type: logType.error,
        start_timestamp: 0,
        end_timestamp: 0,
        token_name: '',
        model_name: '',
        group: '',
        request_id: '',
      },
      { page: 1, pageSize: 1 },
    );
    const shown = JSON.stringify(own.items[0]);
    expect(shown).toContain('upstream_rejected_channel');
    expect(shown).not.toContain('sk-upstream');
    expect(shown).not.toContain('fake');
    expect(shown).not.toContain('tries');
  });

  it('that no channel serves, or that the balance does not cover, has a row too', async () => {
    const poor = await gate.addCaller({ balance: 0 });
    const call = (key: string, model: string) =>
      fetch(`${gate.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages }),
      });
    const unknown = await call(caller.key, 'no-such-model');
    await expect
      .poll(async () => await newest(logType.error))
      .toMatchObject({ model_name: 'no-such-model', user_id: caller.userId });
    expect(JSON.parse((await newest(logType.error)).other)).toMatchObject({ status_code: unknown.status });
    const refused = await call(poor.key, 'gpt-4o-mini');
    expect(refused.status).toBe(403);
    await expect.poll(async () => (await newest(logType.error)).user_id).toBe(poor.userId);
  });
});

describe('a call that is refused before its body is read', () => {
  const send = (key: string, body: string) =>
    fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
  const errorRows = async (userId: number) => {
    const { rows } = await logs.list(
      gate.core.store.db,
      { userId, type: logType.error },
      { offset: 0, limit: 9 },
    );
    return rows;
  };

  it('has a row with the cause, and the model as far as it was read', async () => {
    const clumsy = await gate.addCaller();
    expect((await send(clumsy.key, '{"model":')).status).toBe(400);
    await expect.poll(() => errorRows(clumsy.userId)).toHaveLength(1);
    const [torn] = await errorRows(clumsy.userId);
    expect(torn).toMatchObject({ model_name: '', quota: 0, token_id: clumsy.tokenId });
    expect(JSON.parse(torn!.other)).toMatchObject({ status_code: 400, request_path: '/v1/chat/completions' });

    expect((await send(clumsy.key, '{"model":"gpt-4o-mini","messages":"hello"}')).status).toBe(400);
    await expect.poll(() => errorRows(clumsy.userId)).toHaveLength(2);
    expect((await errorRows(clumsy.userId)).map((row) => row.model_name)).toContain('gpt-4o-mini');
    expect(await gate.readBalance(clumsy)).toEqual({ balance: 5_000_000, held: 0 });
  });

  it('has none where the key has no owner', async () => {
    const before = await gate.core.logs.search(String(logType.error));
    const model = 'asked-without-a-key';
    expect((await send(`sk-${'x'.repeat(48)}`, JSON.stringify({ model, messages }))).status).toBe(401);
    // The row of a later caller exists at this point; rows are written in the order of the failures.
    const later = await gate.addCaller();
    await send(later.key, '[]');
    await expect.poll(() => errorRows(later.userId)).toHaveLength(1);
    expect(JSON.stringify(await gate.core.logs.search(String(logType.error)))).not.toContain(model);
    expect(before.map(({ user_id: id }) => id)).not.toContain(later.userId);
  });
});

describe('a stream that breaks off', () => {
  it('is charged for what came, and has a second row with the failure, its cause and its channel', async () => {
    const unlucky = await gate.addCaller();
    const { health } = gate.core.routing;
    const failed = vi.spyOn(health, 'failed');
    const succeeded = vi.spyOn(health, 'succeeded');
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    gate.upstream.next(async (exchange) => {
      exchange.head(200, sseHeaders);
      await exchange.write(event(chatChunk('m', [delta({ content: 'So far so good' })])));
      await begun;
      exchange.cut();
    });
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${unlucky.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages }),
    });
    let text = '';
    for await (const chunk of answer.body!) {
      text += Buffer.from(chunk).toString();
      begin();
    }
    expect(text).toContain('error');
    const readRows = async (type: number) => {
      const found = await logs.list(
        gate.core.store.db,
        { userId: unlucky.userId, type },
        { offset: 0, limit: 9 },
      );
      return found.rows;
    };
    await expect.poll(() => readRows(logType.error)).toHaveLength(1);
    const [charged] = await readRows(logType.consume);
    const [failure] = await readRows(logType.error);
    expect(charged!.quota).toBeGreaterThan(0);
    expect(failure).toMatchObject({ request_id: charged!.request_id, quota: 0, is_stream: 1 });
    expect(JSON.parse(failure!.other)).toMatchObject({ error_code: 'upstream_broken', channel_name: 'fake' });
    expect(failed).toHaveBeenCalledTimes(1);
    expect(succeeded).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

it('has no second row where ERROR_LOG_ENABLED is off', async () => {
  const silent = await openGateway({ ERROR_LOG_ENABLED: 'false' });
  try {
    await silent.addChannel();
    const { key } = await silent.addCaller();
    silent.upstream.next(refuse(400));
    const answer = await fetch(`${silent.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages }),
    });
    expect(answer.status).toBe(400);
    await silent.core.failures.close();
    expect(await silent.core.logs.search(String(logType.error))).toEqual([]);
  } finally {
    await silent.close();
  }
});
