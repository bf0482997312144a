import { type AccessTokenData, type AccessTokenScope, selfApi, userApi } from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import { users } from '../../../store/index.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';
import { startMailsOf } from '../../../testing/upstream/mail-server.ts';

let house: House;
let ann: Agent;
beforeEach(async () => {
  house = await openHouse();
  ann = await house.person('ann');
});
afterEach(() => house.close());

const again = { password: testPassword };
const make = async (fields: { name?: string; scope?: AccessTokenScope; days?: number } = {}) =>
  (await ann.must(
    selfApi.createAccessToken,
    { name: 'script', scope: 'all', days: 1, ...fields },
    again,
  )) as AccessTokenData & { token: string };
/** Answer to a token that reads its own account: the user's id, or the code of the refusal. */
async function answerTo(token: string): Promise<unknown> {
  const agent = createAgent(house.app);
  agent.headers = { authorization: token, 'new-api-user': String(ann.userId) };
  const { body } = await agent.call(selfApi.get, {});
  return body.success === true ? (body.data as { id: number }).id : body.code;
}
const listed = async () => (await ann.must(selfApi.accessTokens, {})) as AccessTokenData[];

it('tokens are listed without themselves, and each ends by itself', async () => {
  const first = await make({ name: 'first', scope: 'read', days: 0 });
  const second = await make({ name: 'second' });
  const unnamed = String(await ann.must(selfApi.accessToken, {}, again));
  for (const token of [first.token, second.token, unnamed]) expect(await answerTo(token)).toBe(ann.userId);
  const shown = await listed();
  expect(shown.map(({ id, name, scope }) => ({ id, name, scope }))).toEqual([
    { id: second.id, name: 'second', scope: 'all' },
    { id: first.id, name: 'first', scope: 'read' },
    { id: 0, name: '', scope: 'all' },
  ]);
  expect(JSON.stringify(shown)).not.toContain(second.token);
  await ann.must(selfApi.endAccessToken, { id: first.id });
  expect(await answerTo(first.token)).toBe('invalid_access_token');
  await ann.must(selfApi.endAccessToken, { id: 0 });
  expect(await answerTo(unnamed)).toBe('invalid_access_token');
  expect(await answerTo(second.token)).toBe(ann.userId);
});

it('a token ends after its days, and one without an end does not', async () => {
  const short = await make({ days: 2 });
  const endless = await make({ name: 'endless', days: 0 });
  house.time.ms += 2 * 86_400_000 - 1_000;
  expect(await answerTo(short.token)).toBe(ann.userId);
  house.time.ms += 1_000;
  expect(await answerTo(short.token)).toBe('invalid_access_token');
  house.time.ms += 3_650 * 86_400_000;
  expect(await answerTo(endless.token)).toBe(ann.userId);
});

it('a new password ends all of them, and a stranger cannot revoke one', async () => {
  const { id, token } = await make();
  const bob = await house.person('bob');
  expect((await bob.call(selfApi.endAccessToken, { id })).body.code).toBe('row_not_found');
  const password = 'another horse battery';
  await ann.must(selfApi.update, { password, original_password: testPassword });
  expect(await answerTo(token)).toBe('invalid_access_token');
  expect(await listed()).toEqual([]);
  const root = await house.person('root2', { role: 100 });
  expect((await root.call(userApi.get, { id: ann.userId })).body.success).toBe(true);
});

it('a mail announces each, whoever made it, and never has the token in it', async () => {
  const server = await startMailsOf(house);
  await users.update(house.core.store.db, ann.userId, { email: 'ann@example.com' });
  const { token } = await make({ name: 'night <b>shift</b>' });
  const unnamed = String(await ann.must(selfApi.accessToken, {}, again));
  await house.mails.idle();
  const sent = server.mails.map(({ text }) => text);
  expect(sent).toHaveLength(2);
  expect(sent[0]).toContain('night <b>shift</b>');
  for (const secret of [token, unnamed]) expect(JSON.stringify(server.mails)).not.toContain(secret);
  await server.close();
});

it('there are at most 50 of a user', async () => {
  for (let i = 0; i < 50; i += 1) await make({ name: `token ${i}` });
  const { body } = await ann.call(selfApi.createAccessToken, { name: 'x', scope: 'read', days: 1 }, again);
  expect(body.code).toBe('access_token_limit');
});
