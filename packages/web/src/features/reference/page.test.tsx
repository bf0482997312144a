import { screen, within } from '@testing-library/react';
import { referenceApi, type ReferenceData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';

const refusal = { schema: { $ref: '#/components/schemas/Refusal' } };
const success = {
  type: 'object',
  properties: {
    success: { const: true },
    message: { type: 'string' },
    data: { type: 'array', items: { $ref: '#/components/schemas/TokenData' } },
  },
};

/** A small reference with one call of the console and one of the relay. */
const sample: ReferenceData = {
  openapi: '3.1.1',
  info: { title: 'Tollgate', version: 'v1' },
  tags: [
    { name: 'openai', description: 'Relay: OpenAI' },
    { name: 'tokens', description: 'Keys' },
  ],
  paths: {
    '/v1/embeddings': {
      post: {
        operationId: 'openai-embeddings',
        tags: ['openai'],
        summary: 'Embeddings',
        description: 'For holders of a key.',
        'x-access': 'key',
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
              examples: { example: { value: { input: "It's" } } },
            },
          },
        },
        responses: {
          200: { description: 'Success', content: { 'application/json': { schema: { type: 'object' } } } },
          401: { $ref: '#/components/responses/OpenAIError401' },
        },
      },
    },
    '/api/token/': {
      get: {
        operationId: 'tokens-list',
        tags: ['tokens'],
        summary: 'List one’s own keys',
        description: 'For users who are logged in.',
        'x-access': 'user',
        'x-refusals': ['not_logged_in'],
        parameters: [
          { name: 'p', in: 'query', required: false, schema: { type: 'integer', default: 0 }, example: 3 },
        ],
        responses: {
          200: {
            description: 'Success',
            content: {
              'application/json': {
                schema: { oneOf: [success, refusal.schema] },
                examples: { example: { value: { success: true, data: [{ id: 17 }] } } },
              },
            },
          },
          401: { description: 'not_logged_in', content: { 'application/json': refusal } },
        },
      },
    },
  },
  components: {
    schemas: { TokenData: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
    examples: { not_logged_in: { summary: 'Nobody is logged in' } },
    responses: { OpenAIError401: { description: 'no_api_key' } },
  },
};

const site = () => new FakeServer().answer(referenceApi.read, sample);

/** Opens or closes a part. */
const toggle = async (user: ReturnType<typeof renderPage>, part: string) => {
  const head = (await screen.findByRole('heading', { name: part })).closest('summary');
  if (!head) throw new Error(`${part} does not fold`);
  await user.click(head);
};

test('every call is listed in its part once that is open, for guests too', async () => {
  const user = renderPage('/docs/api', { server: site(), as: null });
  await expect.poll(shown).toMatch(/Relay: OpenAI.*1 endpoint.*Keys.*1 endpoint/);
  expect(shown()).not.toContain('/v1/embeddings');
  await toggle(user, 'Relay: OpenAI');
  await expect.poll(shown).toMatch(/Relay: OpenAI.*\/v1\/embeddings.*Keys/);
  await toggle(user, 'Relay: OpenAI');
  await expect.poll(shown).not.toContain('/v1/embeddings');
});

test('a call unfolds to its request, its fields, its answers and its refusals', async () => {
  const user = renderPage('/docs/api', { server: site(), as: people.user });
  await toggle(user, 'Keys');
  await user.click(await screen.findByRole('button', { name: /\/api\/token\// }));
  await expect.poll(shown).toContain('curl "https://gate.example/api/token/?p=3"');
  expect(shown()).toContain('"New-Api-User: $USER_ID"');
  const parameters = screen.getByRole('group', { name: 'Parameters' });
  expect(within(parameters).getByRole('row', { name: /p query integer default 0/ })).toBeDefined();
  expect(within(screen.getByRole('group', { name: 'Response fields' })).getByText('id')).toBeDefined();
  expect(shown()).toContain('"id": 17');
  expect(shown()).toMatch(/not_logged_in\s*Nobody is logged in/);
  expect(window.location.search).toContain('call=tokens-list');
});

test('a link to a call opens it, and its body is quoted for the shell', async () => {
  renderPage('/docs/api?call=openai-embeddings', { server: site(), as: null });
  await expect.poll(shown).toContain(`-d '{"input":"It'\\''s"}'`);
  expect(shown()).toContain('"Authorization: Bearer $KEY"');
  expect(shown()).toMatch(/401\s*no_api_key/);
});

test('searching keeps what matches, by path, method or text, and shows when nothing does', async () => {
  const user = renderPage('/docs/api', { server: site(), as: null });
  const field = await screen.findByRole('textbox', { name: 'Search paths and descriptions' });
  await user.type(field, 'get own');
  await expect.poll(shown).toContain('/api/token/');
  expect(screen.queryByRole('heading', { name: 'Relay: OpenAI' })).toBeNull();
  await user.type(field, ' nothing of the kind');
  await expect.poll(shown).toContain('No endpoint matches');
});

test('the Chinese console shows it in Chinese', async () => {
  renderPage('/docs/api', { server: site(), as: null, language: 'zh' });
  await expect.poll(shown).toMatch(/接口文档.*1 个接口/);
});

test('a reference that fails to load can be loaded again', async () => {
  const server = site().fail(referenceApi.read);
  const user = renderPage('/docs/api', { server, as: null });
  await expect.poll(shown).toContain('Could not load');
  server.answer(referenceApi.read, sample);
  await tryAgain(user);
  await expect.poll(shown).toContain('Relay: OpenAI');
});
