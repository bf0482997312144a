import { accessRole, worksInDemo } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testPassword } from '../../testing/harness.ts';
import { declared, inputOf, isWrite, nameOf, objectOf } from '../../testing/matrix/calls.ts';
import { changedRows, readRows, type Rows } from '../../testing/matrix/rows.ts';
import { openWorld, type OwnedKind, type Person, type World } from '../../testing/matrix/world.ts';

// A demo site by its environment variable, which also restricts root. The class of each call is in the contract, so a
// new call is covered automatically.

/** Calls that change something or read a secret and still work on a demo site, each with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'POST /api/setup': 'a demo has to be set up; it works once',
  'POST /api/user/register': 'people come',
  'POST /api/user/login': 'people come',
  'POST /api/user/login/2fa': 'people come',
  'POST /api/user/passkey/login/begin': 'people come',
  'POST /api/user/passkey/login/finish': 'people come',
  'GET /api/user/logout': 'people go',
  'POST /api/verify': 'of the session alone',
  'POST /api/user/passkey/verify/begin': 'of the session alone',
  'POST /api/user/passkey/verify/finish': 'of the session alone',
  'PUT /api/user/self/language': 'one’s own, and nobody would miss it',
  'POST /api/user/amount': 'changes nothing',
  'POST /api/user/stripe/amount': 'changes nothing',
  'POST /api/routing/explain': 'changes nothing',
  'POST /api/team/invitation/look': 'changes nothing',
  'GET /api/token/:id': 'reads one’s own key',
  'GET /api/team/:id/token/:token': 'reads a key that one manages',
  'GET /api/user/:id/data': 'reads what root may read anyway',
};

let world: World;
let start: Rows;
beforeAll(async () => {
  world = await openWorld({ DEMO_SITE: 'true' });
  start = await readRows(world);
});
afterAll(() => world.house.close());

const changing = declared.filter((route) => isWrite(route) || !worksInDemo(route));
const refused = changing.filter((route) => !worksInDemo(route));

it('every call that changes something or reads a secret is refused, or has a reason why not', () => {
  const works = changing.filter(worksInDemo).map(nameOf);
  expect(works.toSorted()).toEqual(Object.keys(allowed).toSorted());
  expect(refused.length).toBeGreaterThan(90);
});

/** The object that a caller could change with a call on a site that is not a demo. */
function objectFor(kind: ReturnType<typeof objectOf>, path: string, caller: Person) {
  if (kind === undefined) return undefined;
  const { people, site } = world;
  if (kind.kind === 'user') return people.other.id;
  if (kind.kind === 'team' && path.startsWith('/api/team/all/')) return people.other.owns.team;
  return kind.kind in site ? site[kind.kind as 'channel'] : caller.owns[kind.kind as OwnedKind];
}

/** The rows that a change leaves in addition to its own changes. */
async function traces() {
  const { db } = world.house.core.store;
  const tables = ['logs', 'audit', 'ledger'] as const;
  return Promise.all(tables.map((table) => db.selectFrom(table).select('id').orderBy('id').execute()));
}

it('every other call is answered as elsewhere, and changes nothing', async () => {
  const before = await traces();
  const wrong: string[] = [];
  for (const route of refused) {
    for (const caller of Object.values(world.people)) {
      if (caller.role < accessRole[route.access]) continue;
      const input = inputOf(route, objectFor(objectOf(route), route.path, caller));
      const reply = await caller.agent.call(
        route,
        input,
        ...(route.reauthenticate ? [{ password: testPassword }] : []),
      );
      if (reply.status !== 405 || reply.body.code !== 'demo_site')
        wrong.push(`${nameOf(route)} by ${caller.name}: ${reply.status} ${reply.body.code}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(changedRows(start, await readRows(world))).toEqual([]);
  expect(await traces()).toEqual(before);
});
