import { logType } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuse } from '../testing/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
const messages = [{ role: 'user', content: 'hello' }];

beforeAll(async () => {
  gate = await openGateway({ ERROR_LOG_ENABLED: 'true' });
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
});
