import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../testing/gateway-harness.ts';
import { RealtimeClient } from '../../testing/realtime-client.ts';
import { openRealtimeWorld, realtimeModel, type RealtimeWorld } from '../../testing/worlds/realtime-world.ts';

let world: RealtimeWorld;
let caller: TestCaller;
let openai: OpenAI;

beforeAll(async () => {
  world = await openRealtimeWorld();
  caller = await world.gate.addCaller();
  openai = clientOf(caller);
});
afterAll(() => world.close());

const clientOf = ({ key }: TestCaller): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${world.gate.url}/v1`, maxRetries: 0 });
const create = (client = openai, more = {}) =>
  client.realtime.clientSecrets.create({
    session: { type: 'realtime', model: realtimeModel, instructions: 'Speak like a pirate.' },
    ...more,
  });
/** Opens a session as a browser does. */
const connect = (secret: string, query = '') =>
  RealtimeClient.open(world.address(query), {
    protocols: ['realtime', `openai-insecure-api-key.${secret}`],
    headers: { origin: 'https://shop.example' },
  });
const refusal = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const tokenTo = (status: number) =>
  world.gate.core.store.db.updateTable('tokens').set({ status }).where('id', '=', caller.tokenId).execute();

describe('a secret for realtime sessions', () => {
  it('opens sessions of its key with its configuration, which are charged to the key', async () => {
    const made = await create();
    expect(made).toMatchObject({
      value: expect.stringMatching(/^ek_\w{48}$/) as string,
      session: { type: 'realtime', object: 'realtime.session', model: realtimeModel },
    });
    expect(made.expires_at - Math.floor(Date.now() / 1_000)).toBeGreaterThan(590);
    for (const query of ['', `?model=${realtimeModel}`]) {
      const client = await connect(made.value, query);
      await client.next('session.updated');
      const session = world.upstream.sessions.at(-1)!;
      expect(JSON.parse(String(session.frames[0]))).toEqual({
        type: 'session.update',
        session: { type: 'realtime', instructions: 'Speak like a pirate.' },
      });
      expect(JSON.stringify(session.handshake)).not.toContain(made.value);
      await client.respond();
      await client.leave();
    }
    expect((await world.readRows(caller)).map(({ quota }) => quota)).toEqual([5_650, 5_650]);
  });

  it('is made by the older call, too, and bears the headers of clients without sub-protocols', async () => {
    const answer = await fetch(`${world.gate.url}/v1/realtime/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
      body: JSON.stringify({ model: realtimeModel, voice: 'verse' }),
    });
    const { client_secret: secret, ...session } = (await answer.json()) as {
      client_secret: { value: string; expires_at: number };
    };
    expect(session).toMatchObject({ object: 'realtime.session', model: realtimeModel, voice: 'verse' });
    expect(secret.expires_at - Math.floor(Date.now() / 1_000)).toBeLessThanOrEqual(60);
    const headers = { authorization: `Bearer ${secret.value}` };
    const client = await RealtimeClient.open(world.address(''), { headers });
    await client.next('session.updated');
    await client.leave();
  });

  it('is refused when it is unknown or expired, for another model, and once its key is disabled', async () => {
    const { value } = await create();
    expect(await refusal(connect('ek_unknown', `?model=${realtimeModel}`))).toMatchObject({ status: 401 });
    expect(await refusal(connect(value, '?model=gpt-4o-mini'))).toMatchObject({ status: 403 });
    await tokenTo(2);
    expect(await refusal(connect(value))).toMatchObject({ status: 401 });
    await tokenTo(1);
    const client = await connect(value);
    await client.leave();
    await world.gate.core.store.db.updateTable('vendor_objects').set({ expires_at: 1 }).execute();
    expect(await refusal(connect(value))).toMatchObject({ status: 401 });
  });

  it('is good for nothing else, and is stored without being readable', async () => {
    const { value } = await create();
    expect(await refusal(clientOf({ ...caller, key: value }).models.list())).toMatchObject({ status: 401 });
    expect(await refusal(create(clientOf({ ...caller, key: value })))).toMatchObject({ status: 401 });
    const rows = await world.gate.core.store.db.selectFrom('vendor_objects').selectAll().execute();
    const stored = JSON.stringify(rows);
    for (const text of [value, 'pirate', caller.key.slice(3)]) expect(stored).not.toContain(text);
  });

  it('has a bounded life, and is not made for a model that its key may not call', async () => {
    for (const seconds of [9, 7_201, 60.5])
      expect(
        await refusal(create(openai, { expires_after: { anchor: 'created_at', seconds } })),
      ).toMatchObject({ status: 400 });
    await world.gate.core.store.db
      .updateTable('tokens')
      .set({ model_limits_enabled: 1, model_limits: 'gpt-4o-mini' })
      .where('id', '=', caller.tokenId)
      .execute();
    world.gate.core.keys.forgetToken(caller.tokenId);
    expect(await refusal(create())).toMatchObject({ status: 403 });
  });
});
