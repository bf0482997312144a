import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import { sandbox } from '../../../relay/providers/sandbox/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../../testing/gateway-harness.ts';
import { pollTasks } from '../../../testing/poll-tasks.ts';

const start = Date.UTC(2026, 0, 2);
const price = 50_000;

let gate: GatewayHarness;
let caller: TestCaller;
let now = start;
beforeAll(async () => {
  gate = await openGateway({}, {}, () => now);
  await gate.addChannel({ type: sandbox.type, base_url: '', models: sandbox.models.join(',') });
  caller = await gate.addCaller({ balance: 1_000_000 });
});
afterAll(() => gate.close());

async function call(path: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await fetch(gate.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as JsonObject;
}
async function wait(ms: number): Promise<void> {
  now += ms;
  await pollTasks(gate);
}
const balance = async (): Promise<number> => (await gate.readBalance(caller)).balance;

describe('the sandbox, by the public calls', () => {
  it('draws, serves the picture at its address, and acts on it', async () => {
    const before = await balance();
    const id = textOf((await call('/mj/submit/imagine', { prompt: 'a cat' })).result);
    await wait(9_000);
    const drawn = await call(`/mj/task/${id}/fetch`);
    expect(drawn).toMatchObject({ status: 'SUCCESS', progress: '100%', prompt: 'a cat' });
    const picture = await fetch(`${gate.url}/mj/image/${id}`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(
      Buffer.from(await picture.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const [{ customId }] = drawn.buttons as [{ customId: string }];
    const larger = textOf((await call('/mj/submit/action', { taskId: id, customId })).result);
    await wait(9_000);
    expect(await call(`/mj/task/${larger}/fetch`)).toMatchObject({ action: 'UPSCALE', status: 'SUCCESS' });
    expect(before - (await balance())).toBe(price + price / 2);
  });

  it('makes songs', async () => {
    const id = textOf((await call('/suno/submit/MUSIC', { prompt: 'rain' })).data);
    await wait(9_000);
    const { data } = await call(`/suno/fetch/${id}`);
    expect(data).toMatchObject({
      status: 'SUCCESS',
      data: [{ audio_url: expect.stringMatching(/^data:audio/) as string }, {}],
    });
  });

  it('gives back the price of a failed drawing and song', async () => {
    const before = await balance();
    const { result } = await call('/mj/submit/imagine', { prompt: 'sandbox-fail' });
    const { data } = await call('/suno/submit/MUSIC', { prompt: 'sandbox-fail' });
    expect(before - (await balance())).toBe(2 * price);
    await wait(9_000);
    expect(await balance()).toBe(before);
    expect(await call(`/mj/task/${textOf(result)}/fetch`)).toMatchObject({ status: 'FAILURE' });
    expect(await call(`/suno/fetch/${textOf(data)}`)).toMatchObject({ data: { status: 'FAILURE' } });
    expect(await gate.findings()).toEqual([]);
  });
});
