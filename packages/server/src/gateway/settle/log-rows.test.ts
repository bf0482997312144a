import { logType } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuse } from '../../testing/upstream/fake-upstream-faults.ts';
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
  it('says when the caller spoke Anthropic’s language, as the specification names it', async () => {
    await (await post('/v1/messages')).json();
    expect(JSON.parse((await newest(logType.consume)).other)).toMatchObject({ claude: true });
    await (await post('/v1/chat/completions')).json();
    expect(JSON.parse((await newest(logType.consume)).other)).not.toHaveProperty('claude');
  });

  it('that failed stands in the group it was made in, so that the filter by group finds it', async () => {
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

  it('that failed on a channel tells operators what was tried, and its user what was answered, no more', async () => {
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

  it('that no channel serves, or that its caller has no balance for, leaves a row too', async () => {
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

it('no row is written where ERROR_LOG_ENABLED is off', async () => {
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
