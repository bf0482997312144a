import { request } from 'node:http';
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { ApiError as GoogleError, GoogleGenAI } from '@google/genai';
import OpenAI, { APIError as OpenAIError, NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'gpt-4o-mini' });
  caller = await gate.addCaller();
  openai = new OpenAI({ apiKey: caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: caller.key, baseURL: gate.url, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: caller.key, httpOptions: { baseUrl: gate.url } });
});
afterAll(() => gate.close());

/** The error of a call. */
const failure = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('the call succeeded');
};

describe('endpoints that vendors have and this gateway does not', () => {
  const file = new File(['{}'], 'a.jsonl');

  it.each<[string, () => unknown]>([
    ['a file for tuning', () => openai.files.create({ file, purpose: 'fine-tune' })],
    ['uploads', () => openai.uploads.complete('u', { part_ids: [] })],
    ['assistants', () => openai.beta.assistants.list()],
    ['vector stores', () => openai.vectorStores.list()],
    ['fine tuning', () => openai.fineTuning.jobs.list()],
    ['evals', () => openai.evals.list()],
    ['stored chats', () => openai.chat.completions.list()],
    ['image variations', () => openai.images.createVariation({ image: file })],
    ['editing a video', () => openai.videos.edit({ prompt: 'p', video: { id: 'v' } })],
    ['deleting a model', () => openai.models.delete('m')],
  ])('fails in the openai client: %s', async (_name, call) => {
    const error = await failure(call);
    expect(error).toBeInstanceOf(OpenAIError);
    expect(error).toMatchObject({ status: 501, code: 'api_not_implemented' });
  });

  it.each<[string, () => unknown]>([['skills', () => anthropic.beta.skills.list()]])(
    'fails in the Anthropic client: %s',
    async (_name, call) => {
      const error = await failure(call);
      expect(error).toBeInstanceOf(AnthropicError);
      expect(error).toMatchObject({
        status: 501,
        error: {
          type: 'error',
          error: { message: expect.stringContaining('API not implemented') as string },
        },
      });
    },
  );

  it.each<[string, () => unknown]>([['file search stores', () => google.fileSearchStores.list()]])(
    'fails in the Google client: %s',
    async (_name, call) => {
      const error = await failure(call);
      expect(error).toBeInstanceOf(GoogleError);
      expect(error).toMatchObject({ status: 501 });
      expect(String(error)).toContain('UNIMPLEMENTED');
    },
  );

  it('fail for Midjourney, Suno, Kling and Jimeng clients in their shapes', async () => {
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(gate.url + path, { headers });
      expect(answer.headers.get('content-type')).toContain('application/json');
      return { status: answer.status, body: (await answer.json()) as object };
    };
    const key = { authorization: `Bearer ${caller.key}` };
    for (const path of ['/mj/task/1/nothing', '/fast/mj/submit/nothing', '/mj/images/1']) {
      expect(await ask(path, { 'mj-api-secret': caller.key })).toMatchObject({
        status: 501,
        body: { description: expect.stringContaining('API not implemented') as string, code: 4 },
      });
    }
    expect(await ask('/mj/task/1/fetch')).toMatchObject({ status: 401, body: { error: {} } });
    expect(await ask('/suno/nothing/1', key)).toMatchObject({
      status: 501,
      body: { code: 'api_not_implemented', data: null },
    });
    for (const path of ['/kling/v1/videos/lip-sync/1', '/jimeng/?Action=CVSync2AsyncGetResult']) {
      expect(await ask(path, key)).toMatchObject({ status: 501, body: { code: 501, data: null } });
    }
  });

  it.each<Record<string, string>>([
    { authorization: 'Bearer KEY' },
    { authorization: 'KEY' },
    { 'x-api-key': 'KEY' },
    { 'x-goog-api-key': 'KEY' },
    { 'mj-api-secret': 'KEY' },
    { 'x-goog-api-key': 'KEY', authorization: 'Bearer ' },
  ])('read the key from %j on every path', async (carrier) => {
    const headers = Object.fromEntries(
      Object.entries(carrier).map(([name, value]) => [name, value.replace('KEY', caller.key)]),
    );
    for (const path of [
      '/v1/models',
      '/v1beta/models',
      '/v1beta/openai/models',
      '/v1/dashboard/billing/usage',
    ]) {
      expect((await fetch(gate.url + path, { headers })).status, path).toBe(200);
    }
    for (const path of ['/v1/evals', '/mj/task/1/nothing', '/v1beta/tunedModels']) {
      expect((await fetch(gate.url + path, { headers })).status, path).toBe(501);
    }
    expect((await fetch(`${gate.url}/v1/evals?key=${caller.key}`)).status).toBe(501);
  });
});

describe('an unknown path or model', () => {
  it('is 404 in the shape of the caller', async () => {
    const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const answer = await fetch(gate.url + path, { method, headers });
      return { status: answer.status, body: (await answer.json()) as object };
    };
    const ofOpenai = { status: 404, body: { error: { type: 'invalid_request_error' } } };
    const ofAnthropic = { status: 404, body: { type: 'error', error: { type: 'not_found_error' } } };
    const ofGoogle = { status: 404, body: { error: { status: 'NOT_FOUND' } } };
    for (const path of ['/v1/nothing', '/v2/models', '/pg/nothing', '/openai/deployments/x', '//v1/models']) {
      expect(await ask(path), path).toMatchObject(ofOpenai);
    }
    expect(await ask('/models', { authorization: 'Bearer x' })).toMatchObject(ofOpenai);
    expect(await ask('/chat/completions', { authorization: 'Bearer x' }, 'POST')).toMatchObject(ofOpenai);
    expect(await ask('/v1/messages/nothing')).toMatchObject(ofAnthropic);
    expect(await ask('/messages', { 'anthropic-version': '2023-06-01' }, 'POST')).toMatchObject(ofAnthropic);
    expect(await ask('/v1/nothing', { 'x-api-key': 'x' })).toMatchObject(ofAnthropic);
    expect(await ask('/v1beta/nothing')).toMatchObject(ofGoogle);
    expect(await ask('/v1/nothing', { 'x-goog-api-key': 'x' })).toMatchObject(ofGoogle);
    expect(
      await ask('/models/gemini:generateContent?key=x', { 'x-goog-api-key': 'x' }, 'POST'),
    ).toMatchObject(ofGoogle);
  });

  it('is a 404 for a model, in every client', async () => {
    expect(await failure(() => openai.models.retrieve('nothing'))).toBeInstanceOf(NotFoundError);
    expect(await failure(() => anthropic.models.retrieve('nothing'))).toMatchObject({ status: 404 });
    expect(await failure(() => google.models.get({ model: 'nothing' }))).toMatchObject({ status: 404 });
  });

  const handshake = (path: string): Promise<{ status: number; type: string; body: string }> =>
    new Promise((resolve, reject) => {
      const headers = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      };
      const asked = request(gate.url + path, { headers }, (answer) => {
        let body = '';
        answer.on('data', (chunk: Buffer) => (body += chunk.toString()));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', body }),
        );
      });
      asked.on('upgrade', () => reject(new Error('became a socket')));
      asked.on('error', reject);
      asked.end();
    });

  it('is an HTTP error for a socket', async () => {
    const music = '/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateMusic';
    const refused = await handshake(`${music}?key=${caller.key}`);
    expect(refused).toMatchObject({ status: 501, type: 'application/json' });
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code: 501, status: 'UNIMPLEMENTED' } });
    for (const path of ['/login', '/', '/ws/nothing', '/v1/messages', '/anything']) {
      expect(await handshake(path), path).toMatchObject({ status: 404, type: 'application/json' });
    }
  });
});
