import { currentPasswordHeader, type Route } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declared, inputOf, nameOf, objectOf } from '../../testing/matrix/calls.ts';
import { readRows, restoreRows, type Rows } from '../../testing/matrix/rows.ts';
import { openWorld, type Person, type World } from '../../testing/matrix/world.ts';
import { testPassword } from '../../testing/harness.ts';

let world: World;
let start: Rows;
beforeAll(async () => {
  world = await openWorld();
  start = await readRows(world);
});
afterAll(() => world.house.close());

const chinese = /[\u3400-\u9fff\uff00-\uffef]/;
/** Calls with Chinese text by design. */
const byNature: Readonly<Record<string, string>> = {
  'GET /api/option/': 'texts as they are stored, for root to edit',
  'GET /api/openapi.json': 'its examples are answers as programs get them',
  'GET /api/channel/types': 'names of vendors in both languages, for the console to choose',
};

async function readAnswer(route: Route, caller: Person): Promise<string> {
  const kind = objectOf(route)?.kind;
  const owned = { ...world.site, ...world.people.other.owns };
  const input = inputOf(route, kind && owned[kind]);
  const url = route.path.replace(/:(\w+)/g, (_slot, name: string) => {
    const value = String(input[name]);
    delete input[name];
    return encodeURIComponent(value);
  });
  const isRead = route.method === 'GET' || route.method === 'DELETE';
  const { body } = await caller.agent.send({
    method: route.method,
    url,
    ...(isRead ? { query: asText(input) } : { payload: input }),
    headers: {
      'accept-language': 'en-GB,en;q=0.9',
      ...(route.reauthenticate && { [currentPasswordHeader]: encodeURIComponent(testPassword) }),
    },
  });
  await restoreRows(world, start);
  return JSON.stringify(body);
}

const asText = (fields: object): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));

it.each(declared.map((route) => [nameOf(route), route] as const))(
  '%s answers an English reader without Chinese text',
  async (name, route) => {
    if (name in byNature) return;
    for (const caller of [world.people.root, world.people.user, world.people.guest]) {
      const found = (await readAnswer(route, caller)).match(
        new RegExp(`.{0,40}${chinese.source}.{0,20}`, 'u'),
      );
      expect(found?.[0], caller.name).toBeUndefined();
    }
  },
);
