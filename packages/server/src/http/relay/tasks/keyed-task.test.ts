import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openVideoWorld, type VideoWorld } from '../../../testing/upstream/tasks/video-world.ts';

/** Four seconds of sora-2 at $0.1, in quota units. */
const fourSeconds = 200_000;

let world: VideoWorld;
beforeEach(async () => {
  world = await openVideoWorld();
});
afterEach(async () => {
  expect(await world.gate.findings()).toEqual([]);
  expect(await world.gate.openHolds()).toBe(0);
  await world.close();
});

const spent = async (): Promise<number> => world.start - (await world.gate.readBalance(world.caller)).balance;

/** A form with a boundary of its own, as each attempt of a client has. */
function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

async function submit(key: string, body: FormData | Record<string, string>) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${world.gate.url}/v1/videos`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.caller.key}`,
      'idempotency-key': key,
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    body: (await response.json()) as { id?: string; error?: { code: string } },
  };
}

describe('a task with an Idempotency-Key', () => {
  const cat = { model: 'sora-2', prompt: 'a cat', seconds: '4' };

  it('is submitted and charged once, also side by side and as a form with another boundary', async () => {
    for (const make of [() => cat, () => formOf(cat)]) {
      const before = await spent();
      const key = `key-${before}`;
      const [first, beside] = await Promise.all([submit(key, make()), submit(key, make())]);
      const again = await submit(key, make());
      expect([first.status, beside.status, again.status]).toEqual([200, 200, 200]);
      expect(new Set([first.body.id, beside.body.id, again.body.id]).size).toBe(1);
      expect([first, beside, again].filter(({ isReplayed }) => isReplayed)).toHaveLength(2);
      expect((await spent()) - before).toBe(fourSeconds);
    }
    expect(world.vendor.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('is refused with another body, and a refusal leaves the key free', async () => {
    const wrong = await submit('k', { ...cat, model: 'no-such-model' });
    expect([wrong.status, wrong.isReplayed]).toEqual([404, false]);
    expect((await submit('k', cat)).status).toBe(200);
    const other = await submit('k', { ...cat, prompt: 'a dog' });
    expect([other.status, other.body.error?.code]).toEqual([422, 'idempotency_key_reused']);
    expect((await submit('not visible', cat)).status).toBe(400);
    expect(await spent()).toBe(fourSeconds);
  });
});
