import { tokenApi, type channelApi, type ChannelData, type TokenData } from '@tollgate/contract';
import { expect, expectTypeOf, test } from 'vitest';
import { FakeServer, type AnswerOf } from './fake-server.ts';
import { tokenSample } from './samples.ts';

const readBody = async (answer: Promise<Response>): Promise<unknown> => (await answer).json();

test('an answer has the type that the contract declares, with its extra fields where there are some', () => {
  expectTypeOf<AnswerOf<typeof tokenApi.list>>().toEqualTypeOf<TokenData[]>();
  expectTypeOf<AnswerOf<typeof channelApi.list>>().toEqualTypeOf<{
    data: ChannelData[];
    extra: { total: number };
  }>();
});

test('a call is answered, and its input read as the contract reads it', async () => {
  const server = new FakeServer().answer(tokenApi.get, ({ id }) => tokenSample({ id }));
  expect(await readBody(server.fetch('/api/token/7'))).toMatchObject({ success: true, data: { id: 7 } });
  expect(server.inputs(tokenApi.get)).toEqual([{ id: 7 }]);
});

test('a later answer replaces an earlier one', async () => {
  const server = new FakeServer().fail(tokenApi.list, 502).answer(tokenApi.list, []);
  expect((await server.fetch('/api/token/?p=0')).status).toBe(200);
});

test('a request without an answer, or that the contract refuses, is recorded as unexpected', async () => {
  const server = new FakeServer().answer(tokenApi.create, tokenSample());
  await server.fetch('/api/token/none');
  await server.fetch('/api/token/', { method: 'POST', body: JSON.stringify({ remain_quota: -1 }) });
  expect(server.unexpected).toHaveLength(2);
  expect(server.inputs(tokenApi.create)).toEqual([]);
});
