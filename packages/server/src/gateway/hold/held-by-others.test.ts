import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { RealtimeClient, Refused } from '../../testing/realtime-client.ts';
import { addTeam, addTeamCaller } from '../../testing/teams/team-world.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';

const model = 'gpt-4o-mini';
const voice = 'gpt-4o-realtime-preview';
const all = 40_000;
const messages = [{ role: 'user', content: 'Hi' }];

/** Calls in each protocol, and the way its clients recognise that they may retry. */
const calls: [path: string, body: JsonObject, error: object][] = [
  ['/v1/chat/completions', { model, messages }, { error: { code: 'rate_limit_exceeded' } }],
  ['/v1/chat/completions', { model, messages, stream: true }, { error: { code: 'rate_limit_exceeded' } }],
  ['/v1/completions', { model, prompt: 'Hi' }, { error: { code: 'rate_limit_exceeded' } }],
  ['/v1/responses', { model, input: 'Hi' }, { error: { code: 'rate_limit_exceeded' } }],
  ['/v1/messages', { model, messages, max_tokens: 50 }, { error: { type: 'rate_limit_error' } }],
  [
    `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
  ],
  ['/v1/embeddings', { model, input: 'Hi' }, { error: { code: 'rate_limit_exceeded' } }],
];

/** Payers, by the place of the balance or limit. */
const payers = {
  'a balance': (gate) => gate.addCaller({ balance: all }),
  'the allowance of a key': (gate) => gate.addCaller({ allowance: all }),
  'the wallet of an organisation': async (gate) => addTeamCaller(gate, await addTeam(gate.core, all)),
  'the limit of a member': async (gate) => addTeamCaller(gate, await addTeam(gate.core, 5_000_000), all),
} satisfies Record<string, (gate: GatewayHarness) => Promise<TestCaller>>;

describe('a call whose payer has enough, all of it held by another call', () => {
  let gate: GatewayHarness;
  const open = async (releaseWaitMs: number): Promise<void> => {
    gate = await openGateway({}, { ledgerBounds: { releaseWaitMs } });
    await gate.addChannel({ models: `${model},${voice}` });
    gate.upstream.script(chat({ chunks: 3 }));
  };
  const close = async (): Promise<void> => {
    await gate.checkAtRest();
    await gate.close();
  };
  beforeEach(() => open(300));
  afterEach(close);

  /** Holds the whole amount for another call. Returns a function that ends that call at no cost. */
  async function holdAll(caller: TestCaller, amount = all): Promise<() => Promise<void>> {
    const { ledger, store } = gate.core;
    const { accountId, userId, tokenId } = caller;
    const token = await store.db
      .selectFrom('tokens')
      .selectAll()
      .where('id', '=', tokenId)
      .executeTakeFirstOrThrow();
    const member = await store.db
      .selectFrom('team_members')
      .select('id')
      .where('user_id', '=', userId)
      .executeTakeFirst();
    const requestId = `other-${tokenId}`;
    const memberId = token.team_id === 0 ? 0 : (member?.id ?? 0);
    const payer = { accountId, userId, tokenId, memberId, tokenUnlimited: token.unlimited_quota === 1 };
    const { durable } = await ledger.reserve({ ...payer, requestId, channelId: 0, amount, request: '{}' });
    await durable;
    return () => ledger.release(requestId);
  }

  const send = (
    caller: TestCaller,
    [path, body]: readonly [string, JsonObject, ...unknown[]],
    signal?: AbortSignal,
  ) =>
    fetch(`${gate.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        'accept-language': 'en',
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });

  it.each(calls)('is asked to come again, in the shape of its protocol: %s', async (...call) => {
    const caller = await gate.addCaller({ balance: all });
    const release = await holdAll(caller);
    const answer = await send(caller, call);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '2']);
    const body: unknown = await answer.json();
    expect(body).toMatchObject(call[2]);
    expect(JSON.stringify(body)).toContain('Other running calls hold what is left');
    await release();
  });

  it.each(Object.entries(payers))('is refused with 429 and served when that ends: %s', async (_name, add) => {
    const caller = await add(gate);
    const release = await holdAll(caller);
    expect((await send(caller, calls[0]!)).status).toBe(429);
    const waiting = send(caller, calls[0]!);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await release();
    expect((await waiting).status).toBe(200);
  });

  it('is refused as used up where it could not be paid if that ended', async () => {
    const caller = await gate.addCaller({ allowance: all });
    const { ledger } = gate.core;
    const release = await holdAll(caller);
    await ledger.grantToken({ txn: 'used-up', tokenId: caller.tokenId, change: { to: 0 }, actorId: 1 });
    const answer = await send(caller, calls[0]!);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: { code: 'token_exhausted' } });
    await release();
  });

  const limits = ['account', 'token', 'member'] as const;
  type Limit = (typeof limits)[number];
  const owners = { user: ['account', 'token'], team: limits } satisfies Record<string, readonly Limit[]>;
  const codes: Record<Limit, string> = {
    account: 'insufficient_user_quota',
    token: 'pre_consume_token_quota_failed',
    member: 'member_limit_reached',
  };
  const shortages = Object.entries(owners).flatMap(([owner, of]: [string, readonly Limit[]]) =>
    of.flatMap((usedUp) =>
      of.filter((held) => held !== usedUp).map((held) => ({ owner, usedUp, held, code: codes[usedUp] })),
    ),
  );

  it.each(shortages)(
    'of a $owner whose $usedUp can never pay, while others hold what its $held has, is told so at once',
    async ({ owner, usedUp, held, code }) => {
      // The call's minimum is between the total of one limit and the free part of the other limit during the other
      // call.
      const words = 'word '.repeat(600);
      const sizes = { [usedUp]: 550, [held]: 1_000 } as Partial<Record<Limit, number>>;
      const { account = 5_000_000, token = null, member = null } = sizes;
      await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1 }));
      const caller =
        owner === 'user'
          ? await gate.addCaller({ balance: account, allowance: token })
          : await addTeamCaller(gate, await addTeam(gate.core, account), member, token);
      const release = await holdAll(caller, 480);
      const answer = await send(caller, [
        calls[0]![0],
        { model, messages: [{ role: 'user', content: words }] },
      ]);
      expect([answer.status, ((await answer.json()) as JsonObject).error]).toMatchObject([403, { code }]);
      // The minimum of a session is 16 tokens of sound.
      const one = JSON.stringify({ [voice]: 1 });
      const ratio = JSON.stringify({ [voice]: 50 });
      await gate.core.settings.setMany({ ModelRatio: ratio, AudioRatio: one, AudioCompletionRatio: one });
      const address = `${gate.url.replace('http', 'ws')}/v1/realtime?model=${voice}`;
      const headers = { authorization: `Bearer ${caller.key}` };
      const refused: unknown = await RealtimeClient.open(address, { headers }).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ status: 403 });
      await release();
      await gate.core.ledger.flush();
    },
  );

  it('stops waiting when its caller hangs up, and holds nothing then', async () => {
    const caller = await gate.addCaller({ balance: all });
    const release = await holdAll(caller);
    const asked = gate.upstream.requests.length;
    const hangUp = new AbortController();
    const call = send(caller, calls[0]!, hangUp.signal).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    hangUp.abort();
    await call;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await release();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await gate.readBalance(caller)).toEqual({ balance: all, held: 0 });
    expect(gate.upstream.requests).toHaveLength(asked);
  });

  it('opens no session before that ends', async () => {
    const caller = await gate.addCaller({ balance: all });
    const release = await holdAll(caller);
    const address = `${gate.url.replace('http', 'ws')}/v1/realtime?model=gpt-4o-realtime-preview`;
    const headers = { authorization: `Bearer ${caller.key}` };
    const refused: unknown = await RealtimeClient.open(address, { headers }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
    await release();
  });

  it('grows its hold in a stream when that ends, and is ended as held where it does not', async () => {
    const words = { chunks: 400, text: () => ' hello'.repeat(10), paceMs: 1, usage: null };
    for (const isReleased of [false, true]) {
      // Long enough for the release to arrive in time on a busy machine.
      if (isReleased) await close().then(() => open(20_000));
      await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1 }));
      await gate.core.settings.set('CompletionRatio', JSON.stringify({ [model]: 1 }));
      gate.upstream.script(chat(words));
      const caller = await gate.addCaller({ balance: all + 2_100 });
      const release = await holdAll(caller);
      const answer = await send(caller, calls[1]!);
      if (isReleased) setTimeout(() => void release(), 1_000);
      const text = await answer.text();
      expect([text.includes('[DONE]'), text.includes('rate_limit_exceeded')]).toEqual([
        isReleased,
        !isReleased,
      ]);
      if (!isReleased) await release();
    }
  });
});
