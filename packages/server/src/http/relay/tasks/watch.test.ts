import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../../lib/json.ts';
import { type Person, ReferenceWorld } from '../../../testing/reference/world.ts';
import { type FakeVideos, startFakeVideos } from '../../../testing/upstream/tasks/video-world.ts';

let world: ReferenceWorld;
let vendor: FakeVideos;
let root: Person;
let owner: Person;
let other: Person;
let path: string;
beforeAll(async () => {
  world = await ReferenceWorld.open();
  vendor = await startFakeVideos();
  await world.setUp();
  root = await world.logIn('root');
  const people: Person[] = [];
  for (const username of ['owner', 'other']) {
    const password = 'correct horse battery';
    await world.must('POST', '/api/user/', root, { username, password, display_name: '' });
    people.push(await world.logIn(username));
  }
  [owner, other] = people as [Person, Person];
  await world.must('PUT', '/api/user/', root, { id: 2, quota: 10_000_000 });
  await world.must('POST', '/api/channel/', root, {
    type: 55,
    name: 'videos',
    key: 'sora-secret',
    models: 'sora-2',
    base_url: vendor.url,
  });
  const token = await world.must('POST', '/api/token/', owner, { name: 'a', unlimited_quota: true });
  const key = `Bearer sk-${(token as { key: string }).key}`;
  const asked = { model: 'sora-2', prompt: 'a cat' };
  const made = await world.request('POST', '/v1/videos', { authorization: key }, asked);
  path = `/pg/videos/${textOf((made.body as { id: string }).id)}/content`;
});
afterAll(async () => {
  await vendor.close();
  await world.close();
});

const finish = () =>
  world.tollgate.core.store.db.updateTable('tasks').set({ state: 'succeeded', next_poll: 0 }).execute();

/** Request of an element on a page: the cookie, and no header of its own. */
const element = ({ cookie = '' }: Person): Person => ({ cookie, 'sec-fetch-site': 'same-origin' });

describe('a video in a player of the console', () => {
  it('does not exist before it is made', async () => {
    expect((await world.request('GET', path, element(owner))).status).toBe(409);
    await finish();
  });

  it('is sent to its owner by session, as a whole and in part, for pages of this site alone', async () => {
    const whole = await world.request('GET', path, element(owner));
    expect([whole.status, whole.headers.get('content-type'), whole.body]).toEqual([
      200,
      'video/mp4',
      '0123456789',
    ]);
    expect(whole.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(whole.headers.get('access-control-allow-origin')).toBeNull();
    const part = await world.request('GET', path, { ...element(owner), range: 'bytes=2-4' });
    expect([part.status, part.headers.get('content-range'), part.body]).toEqual([206, 'bytes 2-4/10', '234']);
  });

  it('is sent to administrators, and to no other user', async () => {
    expect((await world.request('GET', path, element(root))).status).toBe(200);
    expect((await world.request('GET', path, element(other))).status).toBe(404);
    expect((await world.request('GET', path.replace(/task_\w+/, 'task_x'), element(root))).status).toBe(404);
  });

  it('is refused without a session, by a key, to another site, and to a session of another user', async () => {
    expect((await world.request('GET', path)).status).toBe(401);
    expect((await world.request('GET', path, { authorization: 'Bearer sk-x' })).status).toBe(403);
    const elsewhere = { ...element(owner), 'sec-fetch-site': 'cross-site' };
    expect((await world.request('GET', path, elsewhere)).status).toBe(403);
    const named = { ...element(owner), 'new-api-user': root['new-api-user'] ?? '' };
    expect((await world.request('GET', path, named)).status).toBe(401);
  });
});
