import { GoogleGenAI, type LiveConnectConfig, type LiveServerMessage, type Session } from '@google/genai';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { type FakeLive, type LiveMessage, startFakeLive } from '../../testing/upstream/fake-live.ts';

// Google's own client from the registry, against a server of Gemini Live.

const model = 'gemini-3.1-flash-live-preview';
let gate: GatewayHarness;
let upstream: FakeLive;
let channelId: number;

beforeAll(async () => {
  gate = await openGateway({ STREAMING_TIMEOUT: '2', REALTIME_SESSIONS_PER_USER: '2' });
  upstream = await startFakeLive();
  await gate.core.settings.set('RetryTimes', '1');
  channelId = await gate.addChannel({ type: 24, models: model, base_url: upstream.url });
});
afterAll(async () => {
  await gate.close();
  await upstream.close();
});
afterEach(async () => {
  upstream.answer = () => [];
  upstream.refusal = undefined;
  await vi.waitFor(async () => expect(await gate.openHolds()).toBe(0), { timeout: 20_000 });
  expect(await gate.findings()).toEqual([]);
});

/** 671 units: 100 × 0.75 + 200 × 3 + 50 × 12 + 15 × 4.5 dollars for a million. */
const usageMetadata = {
  promptTokenCount: 300,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 100 },
    { modality: 'AUDIO', tokenCount: 200 },
  ],
  responseTokenCount: 60,
  responseTokensDetails: [
    { modality: 'TEXT', tokenCount: 10 },
    { modality: 'AUDIO', tokenCount: 50 },
  ],
  thoughtsTokenCount: 5,
  totalTokenCount: 365,
};
const cost = 671;

const said = (text: string): LiveMessage => ({ serverContent: { modelTurn: { parts: [{ text }] } } });
const spoken = (bytes: number): LiveMessage => ({
  serverContent: {
    modelTurn: {
      parts: [
        { inlineData: { mimeType: 'audio/pcm;rate=24000', data: Buffer.alloc(bytes).toString('base64') } },
      ],
    },
  },
});
const over = (usage?: object): LiveMessage => ({
  serverContent: { turnComplete: true },
  ...(usage && { usageMetadata: usage }),
});
const isTurn = ({ clientContent }: LiveMessage): boolean => clientContent !== undefined;

const clientOf = (key: string, apiVersion = 'v1beta'): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gate.url, apiVersion } });

/** A session of Google's client, and what it has heard. */
interface Talk {
  session: Session;
  heard: LiveServerMessage[];
  /** Resolves at the next end of a turn. */
  turn(): Promise<void>;
  closed: Promise<{ code: number; reason: string }>;
}

async function connect(
  client: GoogleGenAI,
  config: LiveConnectConfig = { systemInstruction: 'Be brief.' },
  name = model,
): Promise<Talk> {
  const heard: LiveServerMessage[] = [];
  let turns = 0;
  let awaited = 0;
  const closing = Promise.withResolvers<{ code: number; reason: string }>();
  const session = await client.live.connect({
    model: name,
    config,
    callbacks: {
      onmessage: (message) => {
        heard.push(message);
        if (message.serverContent?.turnComplete) turns += 1;
      },
      onclose: ({ code, reason }) => closing.resolve({ code, reason }),
    },
  });
  return {
    session,
    heard,
    closed: closing.promise,
    async turn() {
      awaited += 1;
      await vi.waitFor(() => expect(turns).toBeGreaterThanOrEqual(awaited), { timeout: 10_000 });
    },
  };
}

async function leave({ session, closed }: Talk): Promise<void> {
  session.close();
  await closed;
}

const rowsOf = async ({ userId }: TestCaller) => {
  await gate.core.ledger.flush();
  const rows = await gate.core.store.db
    .selectFrom('logs')
    .select(['quota', 'prompt_tokens', 'completion_tokens', 'channel_id', 'other'])
    .where('user_id', '=', userId)
    .where('type', '=', 2)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, other: JSON.parse(row.other) as Record<string, unknown> }));
};
const quotasOf = async (caller: TestCaller) => (await rowsOf(caller)).map(({ quota }) => quota);
const failure = (work: Promise<unknown>): Promise<string> => work.then(() => 'none', String);

describe('Google’s client', () => {
  it('converses, and each turn is charged by its usage for each kind of token', async () => {
    const caller = await gate.addCaller();
    upstream.answer = (message) =>
      isTurn(message) ? [said('Hello'), spoken(9_600), over(usageMetadata)] : [];
    const talk = await connect(clientOf(caller.key));
    const at = upstream.sessions.at(-1)!;
    expect(at.path).toBe('/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent');
    expect(at.headers['x-goog-api-key']).toBe('sk-upstream-secret');
    expect(at.messages[0]).toMatchObject({
      setup: { model: `models/${model}`, systemInstruction: { parts: [{ text: 'Be brief.' }] } },
    });
    for (let turn = 0; turn < 2; turn += 1) {
      talk.session.sendRealtimeInput({
        audio: { data: Buffer.alloc(3_200).toString('base64'), mimeType: 'audio/pcm;rate=16000' },
      });
      talk.session.sendClientContent({ turns: 'Hi' });
      await talk.turn();
    }
    expect(talk.heard.map(({ text }) => text ?? '').join('')).toBe('HelloHello');
    expect(at.messages).toHaveLength(5);
    await leave(talk);
    expect(await quotasOf(caller)).toEqual([cost, cost]);
    expect(JSON.stringify(at.messages)).not.toContain(caller.key.slice(3));
    expect((await rowsOf(caller))[0]!.other).toMatchObject({ ws: true, audio_input: 200, audio_output: 50 });
  });

  it('calls functions: a call and the answer after it are charged each', async () => {
    const caller = await gate.addCaller();
    const call = { id: 'c1', name: 'weather', args: { city: 'Rome' } };
    upstream.answer = (message) =>
      isTurn(message)
        ? [{ toolCall: { functionCalls: [call] }, usageMetadata }]
        : [said('18 degrees'), { serverContent: { generationComplete: true } }, over(usageMetadata)];
    const talk = await connect(clientOf(caller.key));
    talk.session.sendClientContent({ turns: 'How is the weather?' });
    await vi.waitFor(() => expect(talk.heard.some(({ toolCall }) => toolCall)).toBe(true));
    talk.session.sendToolResponse({
      functionResponses: { id: 'c1', name: 'weather', response: { output: '18' } },
    });
    await talk.turn();
    await leave(talk);
    expect(await quotasOf(caller)).toEqual([cost, cost]);
  });

  it('is charged once for a turn whose end and usage are in the frame of its content, or after it', async () => {
    const caller = await gate.addCaller();
    const whole = { ...said('All'), ...over(usageMetadata) };
    const late = [said('Late'), over(), { usageMetadata }];
    let turn = 0;
    upstream.answer = (message) => (isTurn(message) ? ((turn += 1) === 1 ? [whole] : late) : []);
    const talk = await connect(clientOf(caller.key));
    talk.session.sendClientContent({ turns: 'a' });
    await talk.turn();
    talk.session.sendClientContent({ turns: 'b' });
    await talk.turn();
    await vi.waitFor(async () => expect(await quotasOf(caller)).toEqual([cost, cost]));
    await leave(talk);
    expect(await quotasOf(caller)).toEqual([cost, cost]);
  });

  it('is charged by our own count for turns without usage', async () => {
    const caller = await gate.addCaller();
    upstream.answer = (message) => (isTurn(message) ? [spoken(48_000), over()] : []);
    const talk = await connect(clientOf(caller.key));
    for (let turn = 0; turn < 2; turn += 1) {
      talk.session.sendClientContent({ turns: 'a' });
      await talk.turn();
    }
    // A turn that waits for its usage is not silent.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await leave(talk);
    await vi.waitFor(async () => expect(await rowsOf(caller)).toHaveLength(2));
    for (const { other } of await rowsOf(caller))
      expect(other).toMatchObject({ usage_source: 'counted', audio_output: 25 });
  });

  it('gets the end of the balance, and of a broken upstream, as the reason of a close', async () => {
    const poor = await gate.addCaller({ balance: 700 });
    upstream.answer = (message) => (isTurn(message) ? [said('Hello'), over(usageMetadata)] : []);
    const talk = await connect(clientOf(poor.key));
    talk.session.sendClientContent({ turns: 'a' });
    expect(await talk.closed).toMatchObject({
      code: 1008,
      reason: expect.stringContaining('insufficient_user_quota') as string,
    });
    expect(await gate.readBalance(poor)).toEqual({ balance: 700 - cost, held: 0 });
    const caller = await gate.addCaller();
    upstream.answer = (message, session) => {
      if (isTurn(message)) setTimeout(() => session.cut(), 100);
      return [said('Hel')];
    };
    const broken = await connect(clientOf(caller.key));
    broken.session.sendClientContent({ turns: 'a' });
    expect(await broken.closed).toMatchObject({
      code: 1011,
      reason: expect.stringContaining('upstream_broken') as string,
    });
    expect((await rowsOf(caller))[0]!.other).toMatchObject({ end_reason: 'upstream_broken' });
  });

  it('gets refusals before the session as a close with their reason', async () => {
    const caller = await gate.addCaller();
    expect(await failure(connect(clientOf('sk-nobody')))).toContain('401');
    expect(await failure(connect(clientOf(caller.key), {}, 'unknown-model'))).toMatch(/1008.*unknown-model/);
    const poor = await gate.addCaller({ balance: 0 });
    expect(await failure(connect(clientOf(poor.key)))).toMatch(/10(08|11)/);
    upstream.refusal = { code: 1007, reason: 'Invalid value at setup.tools' };
    expect(await failure(connect(clientOf(caller.key)))).toMatch(/1007.*Invalid value/);
    expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
    const talks = [];
    upstream.refusal = undefined;
    for (let open = 0; open < 2; open += 1) talks.push(await connect(clientOf(caller.key)));
    expect(await failure(connect(clientOf(caller.key)))).toContain('429');
    for (const talk of talks) await leave(talk);
  });
});

describe('a setup that its upstream refuses', () => {
  it('goes to the next channel if its own one has a bad key', async () => {
    const other = await startFakeLive();
    other.refusal = { code: 1007, reason: 'API key not valid. Please pass a valid API key.' };
    const id = await gate.addChannel({ type: 24, models: model, base_url: other.url, priority: 10 });
    const caller = await gate.addCaller();
    upstream.answer = (message) => (isTurn(message) ? [over(usageMetadata)] : []);
    const talk = await connect(clientOf(caller.key));
    talk.session.sendClientContent({ turns: 'a' });
    await talk.turn();
    await leave(talk);
    expect(other.sessions).toHaveLength(1);
    expect(await rowsOf(caller)).toMatchObject([{ quota: cost, channel_id: channelId }]);
    await gate.core.channels.remove([id]);
    await other.close();
  });
});

describe('a handle of a session', () => {
  it('resumes it for its owner only, at its channel and with its model', async () => {
    const caller = await gate.addCaller();
    upstream.answer = (message) =>
      isTurn(message)
        ? [over(usageMetadata), { sessionResumptionUpdate: { newHandle: 'vendor-handle', resumable: true } }]
        : [];
    const first = await connect(clientOf(caller.key), { sessionResumption: {} });
    first.session.sendClientContent({ turns: 'a' });
    const handleIn = ({ heard }: Talk): string | undefined =>
      heard.find(({ sessionResumptionUpdate }) => sessionResumptionUpdate)?.sessionResumptionUpdate
        ?.newHandle;
    await vi.waitFor(() => expect(handleIn(first)).toBeDefined());
    await leave(first);
    const handle = handleIn(first)!;
    expect(handle).not.toContain('vendor-handle');
    const other = await startFakeLive();
    const id = await gate.addChannel({ type: 24, models: `${model},m2`, base_url: other.url, priority: 10 });
    await gate.core.settings.set(
      'ModelRatio',
      JSON.stringify({ ...gate.core.settings.get('ModelRatio'), m2: 0.1 }),
    );
    const resumed = await connect(clientOf(caller.key), { sessionResumption: { handle } });
    expect(upstream.sessions.at(-1)!.messages[0]).toMatchObject({
      setup: { sessionResumption: { handle: 'vendor-handle' } },
    });
    await leave(resumed);
    const stranger = await gate.addCaller();
    const resume = (key: string, name = model, wanted = handle) =>
      failure(connect(clientOf(key), { sessionResumption: { handle: wanted } }, name));
    expect(await resume(stranger.key)).toContain('1008');
    expect(await resume(caller.key, model, 'vendor-handle')).toContain('1008');
    expect(await resume(caller.key, 'm2')).toContain('1008');
    expect(other.sessions).toEqual([]);
    await gate.core.channels.remove([id]);
    await other.close();
  });
});

describe('a token for browsers', () => {
  const tokenOf = (caller: TestCaller, config = {}) =>
    clientOf(caller.key, 'v1alpha').authTokens.create({ config });

  it('opens as many sessions as it says, with what it fixes, on the account of its key', async () => {
    const caller = await gate.addCaller();
    upstream.answer = (message) => (isTurn(message) ? [over(usageMetadata)] : []);
    const { name = '' } = await tokenOf(caller, {
      uses: 1,
      liveConnectConstraints: { model, config: { temperature: 0.2, systemInstruction: 'Fixed.' } },
      lockAdditionalFields: [],
    });
    expect(name).toMatch(/^auth_tokens\/\w{48}$/);
    const talk = await connect(clientOf(name, 'v1alpha'), { temperature: 1, topP: 0.5 }, 'another-model');
    const at = upstream.sessions.at(-1)!;
    expect(at.path).toContain('v1alpha');
    expect(at.messages[0]).toMatchObject({
      setup: {
        model: `models/${model}`,
        generationConfig: { temperature: 0.2, topP: 0.5 },
        systemInstruction: { parts: [{ text: 'Fixed.' }] },
      },
    });
    talk.session.sendClientContent({ turns: 'a' });
    await talk.turn();
    await leave(talk);
    expect(await quotasOf(caller)).toEqual([cost]);
    expect(await failure(connect(clientOf(name, 'v1alpha')))).toMatch(/1008/);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'in the other spelling of names',
      {
        bidi_generate_content_setup: { model: `models/${model}`, generation_config: { top_p: 0.1 } },
        field_mask: 'generation_config.top_p, system_instruction',
      },
      { generationConfig: { topP: 0.1 } },
    ],
    ['that are not set', { fieldMask: 'generationConfig.topP,systemInstruction' }, { generationConfig: {} }],
  ])('fixes members %s', async (_, body, fixed) => {
    const { key } = await gate.addCaller();
    const made = await fetch(`${gate.url}/v1alpha/auth_tokens?key=${key}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const { name } = (await made.json()) as { name: string };
    const talk = await connect(clientOf(name, 'v1alpha'), { topP: 0.9, systemInstruction: 'Mine.' });
    const { setup } = upstream.sessions.at(-1)!.messages[0] as { setup: Record<string, unknown> };
    await leave(talk);
    expect(setup).toMatchObject(fixed);
    expect(JSON.stringify(setup)).not.toMatch(/Mine|0\.9/);
  });

  it('is refused when it is unknown or expired, and for anything else', async () => {
    const caller = await gate.addCaller();
    expect(await failure(connect(clientOf('auth_tokens/unknown', 'v1alpha')))).toContain('401');
    const soon = new Date(Date.now() + 2_000).toISOString();
    const { name = '' } = await tokenOf(caller, { uses: 0, expireTime: soon, newSessionExpireTime: soon });
    expect((await fetch(`${gate.url}/v1beta/models?key=${name}`)).status).toBe(401);
    await leave(await connect(clientOf(name, 'v1alpha')));
    upstream.answer = (message) => (isTurn(message) ? [over(usageMetadata)] : []);
    const talk = await connect(clientOf(name, 'v1alpha'));
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    talk.session.sendClientContent({ turns: 'a' });
    // The session goes on until its next response.
    expect(await talk.closed).toMatchObject({ code: 1008 });
    expect(await failure(connect(clientOf(name, 'v1alpha')))).toContain('401');
    for (const config of [
      { uses: -1 },
      { expireTime: '2020-01-01T00:00:00Z' },
      { newSessionExpireTime: 'soon' },
    ])
      expect(await failure(tokenOf(caller, config))).toContain('400');
  });
});

describe('a hostile caller', () => {
  const dial = async (first: string | Buffer): Promise<{ code: number; reason: string }> => {
    const { key } = await gate.addCaller();
    const path = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
    const ws = new WebSocket(`${gate.url.replace('http', 'ws')}${path}?key=${key}`);
    ws.on('error', () => undefined);
    ws.on('open', () => ws.send(first));
    return new Promise((resolve) => {
      ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  };

  it.each<[string, string | Buffer]>([
    ['bytes', Buffer.from([0, 255, 1])],
    ['no object', '[]'],
    ['content before the setup', JSON.stringify({ clientContent: {} })],
    ['a setup that is no object', '{"setup":7}'],
    ['no model', '{"setup":{}}'],
  ])('is refused with %s as the first message', async (_name, first) => {
    expect((await dial(first)).code).toBe(1007);
  });

  it('cannot change the setup of a session, nor send ambiguous messages', async () => {
    for (const later of ['{"setup":{"model":"models/other"}}', '{"a":1,"a":2}', 'x']) {
      const caller = await gate.addCaller();
      const talk = await connect(clientOf(caller.key));
      talk.session.conn.send(later);
      expect((await talk.closed).code).toBe(1008);
      expect(upstream.sessions.at(-1)!.messages).toHaveLength(1);
    }
  });
});
