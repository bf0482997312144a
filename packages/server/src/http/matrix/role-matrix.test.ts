import { accessRole, currentPasswordHeader, role, type Route } from '@tollgate/contract';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPassword } from '../../testing/harness.ts';
import { declared, elsewhere, inputOf, isWrite, nameOf, objectOf } from '../../testing/matrix/calls.ts';
import {
  changedRows,
  countWrites,
  ownerOf,
  readRows,
  restoreRows,
  type Rows,
} from '../../testing/matrix/rows.ts';
import { openWorld, type OwnedKind, type Person, type World } from '../../testing/matrix/world.ts';

let world: World;
let start: Rows;
let tries = 0;
const violations: string[] = [];

beforeAll(async () => {
  world = await openWorld();
  start = await readRows(world);
});
afterAll(async () => {
  await world.house.close();
  console.log(
    `role matrix: ${declared.length} calls, ${tries} tries by ${Object.keys(world.people).length} callers, ` +
      `${violations.length} violations`,
  );
});

const isOwned = (kind: string): kind is OwnedKind =>
  ['user', 'token', 'session', 'request', 'team', 'budget', 'task', 'subscription'].includes(kind);

/** Permission for a call on another user's object, stated a second time independently of the code. */
function may(route: Route, caller: Person, owner: Person | null): boolean {
  if (caller.role < accessRole[route.access]) return false;
  if (nameOf(route) === 'DELETE /api/user/self') return caller.role < role.root;
  if (!owner) return true;
  const kind = objectOf(route)?.kind;
  if (kind === 'token' || kind === 'session' || kind === 'task') return caller === owner;
  if (route.path === '/api/plan/gift') return caller.role === role.root;
  if (kind === 'subscription') return caller === owner || route.path === '/api/plan/end';
  if (kind === 'request') return caller === owner || caller.role >= role.admin;
  const isAbove = caller.role > owner.role;
  if (route.path.startsWith('/api/budget/')) return caller === owner || isAbove || caller.role === role.root;
  if (kind === 'team')
    return route.path.startsWith('/api/team/all/') ? isAbove || caller.role === role.root : caller === owner;
  if (route.method === 'GET') return caller === owner || isAbove || caller.role === role.root;
  if (route.method === 'PUT') return isAbove || caller.role === role.root;
  return isAbove;
}

/** A try of a call: its request, and the owners of the objects that it names. */
interface Try {
  route: Route;
  caller: Person;
  /** Owner of the object that the call names in the expected place; null for calls without one. */
  named: Person | null;
  /** Owner of the object in a place that no call reads; null without one. */
  smuggled: Person | null;
  carrier: 'as wanted' | 'query' | 'body' | 'header' | 'query alone';
}

const describeTry = ({ route, caller, named, smuggled, carrier }: Try): string =>
  `${nameOf(route)} by ${caller.name}` +
  `${named ? ` on ${named.name}` : ''}${smuggled ? ` with ${smuggled.name} in the ${carrier}` : ''}`;

function requestOf({ route, caller, named, smuggled, carrier }: Try): InjectOptions {
  const object = objectOf(route);
  const idOf = (owner: Person) =>
    object && isOwned(object.kind)
      ? owner.owns[object.kind]
      : ((object && world.site[object.kind as 'channel']) ?? '');
  const input = inputOf(route, object && (named ? idOf(named) : world.site[object.kind as 'channel']));
  const url = route.path.replace(/:(\w+)/g, (_slot, name: string) => {
    const value = input[name];
    delete input[name];
    return encodeURIComponent(String(value));
  });
  const isRead = route.method === 'GET' || route.method === 'DELETE';
  const foreign = smuggled && object ? { [object.field]: idOf(smuggled), user_id: smuggled.id } : {};
  if (carrier === 'query alone' && object) delete input[object.field];
  const inQuery = carrier === 'query' || carrier === 'query alone';
  return {
    method: route.method,
    url,
    query: asText({ ...(isRead && input), ...(inQuery && foreign) }),
    ...((!isRead || carrier === 'body') && {
      payload: { ...(!isRead && input), ...(carrier === 'body' && foreign) },
    }),
    headers: {
      ...(route.reauthenticate && { [currentPasswordHeader]: encodeURIComponent(testPassword) }),
      ...(carrier === 'header' &&
        smuggled && { 'new-api-user': String(smuggled.id), 'x-user-id': String(smuggled.id) }),
      ...(caller.id === 0 && { 'new-api-user': String(world.people.root.id) }),
    },
  };
}

const asText = (fields: object): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));

/** Sends a try and records every violation. */
async function attempt(each: Try): Promise<void> {
  tries += 1;
  const { route, caller, named, smuggled, carrier } = each;
  const fault = (what: string) => violations.push(`${describeTry(each)}: ${what}`);
  const writes = await countWrites(world);
  const { body, status } = await caller.agent.send(requestOf(each));
  const after = (await countWrites(world)) === writes ? start : await readRows(world);
  const changed = changedRows(start, after);
  const succeeded =
    status < 300 && (route.bare !== undefined || (body.success ?? body.message === 'success') === true);
  const isMeant = smuggled === null;
  const isAllowed = may(route, caller, carrier === 'query alone' ? smuggled : named);
  if (!isAllowed && succeeded) fault('succeeded');
  if (!isAllowed && changed.length > 0) fault(`changed ${changed[0]!.table}`);
  if (isAllowed && isMeant && !succeeded && !(nameOf(route) in elsewhere))
    fault(`refused: ${body.code} ${body.message}`);
  for (const row of changed) {
    const owner = Object.values(world.people).find(({ id }) => id !== 0 && id === ownerOf(row, start));
    if (owner && smuggled === owner && named !== owner && caller !== owner && carrier !== 'query alone')
      fault(`touched ${row.table} of ${owner.name}, who was not meant`);
    if (owner && !mayTouch(route, caller, owner)) fault(`touched ${row.table} of ${owner.name}`);
    if (!owner && caller.role < role.admin && !row.isNew && row.table !== 'redemptions')
      fault(`touched ${row.table}`);
  }
  if (caller.role < role.admin || !isAllowed) leaksIn(JSON.stringify(body), caller).forEach(fault);
  if (changed.length > 0) await restoreRows(world, start);
}

/** No caller changes rows of users with an equal or higher role, by any call. A log-in opens a session of its own user. */
const mayTouch = (route: Route, caller: Person, owner: Person): boolean =>
  caller.id === owner.id ||
  caller.role === role.root ||
  caller.role > owner.role ||
  nameOf(route) === 'POST /api/user/login';

const leaksIn = (answer: string, caller: Person): string[] =>
  Object.values(world.people)
    .filter((owner) => owner !== caller)
    .flatMap(({ marks }) => marks)
    .filter((mark) => answer.includes(mark) && !answer.includes(`"username":"${mark}"`))
    .map((mark) => `told ${mark}`);

/** All tries of a call: every caller, on every user's object, by every carrier. */
function triesOf(route: Route): Try[] {
  const people = Object.values(world.people);
  const object = objectOf(route);
  const owners = object && isOwned(object.kind) ? people.filter(({ id }) => id > 0) : [null];
  return people.flatMap((caller) =>
    owners.flatMap((named): Try[] => [
      { route, caller, named, smuggled: null, carrier: 'as wanted' },
      ...smuggledTries(route, caller, named),
    ]),
  );
}

/** The named object is allowed for the caller. The request also has another user's object. */
function smuggledTries(route: Route, caller: Person, named: Person | null): Try[] {
  if (!named || !may(route, caller, named)) return [];
  const others = Object.values(world.people).filter((other) => other.id > 0 && other !== named);
  const carriers = ['query', 'body', 'header', 'query alone'] as const;
  return others.flatMap((smuggled) =>
    carriers
      .filter((carrier) => carrier !== 'query alone' || !route.path.includes(':'))
      .filter((carrier) => carrier !== 'body' || route.path.includes(':'))
      .map((carrier): Try => ({ route, caller, named, smuggled, carrier })),
  );
}

describe('the role matrix', () => {
  it('knows the input and the object of every declared call', () => {
    // Throws the name of a new call. Add its fields and its input there.
    for (const route of declared) {
      const kind = objectOf(route)?.kind;
      inputOf(route, kind && (isOwned(kind) ? world.people.user.owns[kind] : world.site[kind]));
    }
    const names = declared.map(nameOf);
    expect(Object.keys(elsewhere).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(declared.map((route) => [nameOf(route), route] as const))('%s', async (_name, route) => {
    const before = violations.length;
    for (const each of triesOf(route)) await attempt(each);
    expect(violations.slice(before)).toEqual([]);
  });

  it('has tried each call that changes something with an object of a higher rank', () => {
    const onPeople = declared.filter((route) => isWrite(route) && objectOf(route)?.kind === 'user');
    expect(onPeople.length).toBeGreaterThanOrEqual(3);
    expect(tries).toBeGreaterThan(declared.length * 6);
  });
});
