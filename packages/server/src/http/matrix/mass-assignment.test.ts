import { accessRole, currentPasswordHeader, role, type Route } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testPassword } from '../../testing/harness.ts';
import { declared, fieldsOf, inputOf, isWrite, nameOf, objectOf } from '../../testing/matrix/calls.ts';
import { countWrites, readRows, restoreRows, type Rows } from '../../testing/matrix/rows.ts';
import { openWorld, type Person, type World } from '../../testing/matrix/world.ts';

let world: World;
let start: Rows;
/** The largest id of each table's rows at the start, by the name of the column that refers to it. */
let idsAtStart: ReadonlyMap<string, number>;
let tries = 0;
let fieldsTried = 0;
const violations: string[] = [];

beforeAll(async () => {
  world = await openWorld();
  start = await readRows(world);
  idsAtStart = new Map(
    Object.entries(start).map(([table, rows]) => [
      `${table.replace(/s$/, '')}_id`,
      Math.max(0, ...rows.map((row) => Number(row['id'] ?? 0))),
    ]),
  );
});
afterAll(async () => {
  await world.house.close();
  console.log(
    `mass assignment: ${writes.length} writes, ${tries} tries with ${fieldsTried} fields that are not theirs, ` +
      `${violations.length} violations`,
  );
});

const writes = declared.filter(isWrite);

/** A value that no real request has. Its presence in a row shows that the field was written. */
const word = 'hacked-by-a-field';
const number = 987_654_321;

/** Field names in write calls of this and other gateways, in addition to those of all columns. */
const known = [
  'role',
  'quota',
  'used_quota',
  'balance',
  'user_id',
  'status',
  'group',
  'access_token',
  'DeletedAt',
];
const more = [
  'is_admin',
  'isAdmin',
  'admin',
  'permissions',
  'aff_quota',
  'inviter_id',
  'account_id',
  'setting',
];
const tricks = ['__proto__', 'constructor', 'prototype'];

/** Columns with random or time-dependent values: they differ between two equal calls. */
const byChance =
  /^(id|key|key_hash|key_sealed|key_hint|id_hash|password|access_token_hash|token_hash|aff_code|seen_time|value|code_hash)$/;

const columnsOf = (rows: Rows): string[] => [
  ...new Set(Object.values(rows).flatMap((all) => all.flatMap((row) => Object.keys(row)))),
];

/** True for ids of rows that a call has made: larger than any at the start, and larger with each try. */
const isNewId = (name: string, value: unknown): boolean =>
  name.endsWith('_id') && typeof value === 'number' && value > (idsAtStart.get(name) ?? Infinity);

const comparables = new WeakMap<Rows, string>();

/** The part of the rows that is the same after two equal calls, in a deterministic order. */
const comparable = (rows: Rows): string => {
  const text =
    comparables.get(rows) ??
    Object.values(rows)
      .flatMap((all) =>
        all.map((row) =>
          JSON.stringify(row, (name, value: unknown) =>
            byChance.test(name) ? undefined : isNewId(name, value) ? 'new' : value,
          ),
        ),
      )
      .toSorted()
      .join();
  comparables.set(rows, text);
  return text;
};

/** The object that a caller may change with a call. */
function objectFor(route: Route, caller: Person): number | string | undefined {
  const kind = objectOf(route)?.kind;
  if (kind === undefined) return undefined;
  if (kind === 'user') return caller.role >= role.admin ? world.people.other.id : caller.id;
  if (kind === 'team' && route.path.startsWith('/api/team/all/')) return world.people.other.owns.team;
  if (
    kind === 'team' ||
    kind === 'token' ||
    kind === 'session' ||
    kind === 'request' ||
    kind === 'budget' ||
    kind === 'task' ||
    kind === 'subscription'
  )
    return caller.owns[kind];
  return world.site[kind];
}

async function send(route: Route, caller: Person, extra: object, carrier: 'body' | 'query'): Promise<void> {
  tries += 1;
  const input = inputOf(route, objectFor(route, caller));
  const url = route.path.replace(/:(\w+)/g, (_slot, name: string) => {
    const value = String(input[name]);
    delete input[name];
    return encodeURIComponent(value);
  });
  const isRead = route.method === 'GET' || route.method === 'DELETE';
  const query = { ...(isRead && input), ...(carrier === 'query' && extra) };
  const body = JSON.stringify({ ...(!isRead && input), ...(carrier === 'body' && extra) });
  await caller.agent.send({
    method: route.method,
    url,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    ...((!isRead || carrier === 'body') && { payload: body }),
    headers: {
      ...((!isRead || carrier === 'body') && { 'content-type': 'application/json' }),
      ...(route.reauthenticate && { [currentPasswordHeader]: encodeURIComponent(testPassword) }),
    },
  });
}

/** The rows after a call on the initial state. The initial state is restored afterwards. */
async function rowsAfter(...call: Parameters<typeof send>): Promise<Rows> {
  const writes = await countWrites(world);
  await send(...call);
  if ((await countWrites(world)) === writes) return start;
  const rows = await readRows(world);
  await restoreRows(world, start);
  return rows;
}

/** Every field that the call does not declare, with a recognizable value. */
function undeclared(route: Route): Record<string, unknown> {
  const mine = new Set(fieldsOf(route));
  const names = [...columnsOf(start), ...known, ...more].filter((name) => !mine.has(name));
  const fields: Record<string, unknown> = Object.fromEntries(
    names.map((name, index) => [name, index % 2 === 0 ? number : word]),
  );
  for (const name of tricks)
    Object.defineProperty(fields, name, { value: { role: number }, enumerable: true });
  return fields;
}

/** Fields with values as in rows. Each one by itself must make no difference. */
const plausible: Readonly<Record<string, unknown>> = {
  role: role.root,
  status: 2,
  quota: 1_000_000,
  used_quota: 0,
  user_id: 1,
  group: 'vip',
  balance: 1_000_000,
  aff_quota: 1_000_000,
  inviter_id: 2,
  account_id: 1,
  deleted_at: 1,
};
/** Declared, but not for these callers: the calls that accept it never write it. */
const declaredYetNeverWritten = ['role'];

it.each(writes.map((route) => [nameOf(route), route] as const))(
  '%s writes its own fields alone',
  async (_name, route) => {
    const before = violations.length;
    const callers = Object.values(world.people).filter(
      (caller) =>
        ['user', 'admin', 'root', 'guest'].includes(caller.name) && caller.role >= accessRole[route.access],
    );
    const strange = undeclared(route);
    const mine = new Set(fieldsOf(route).filter((name) => !declaredYetNeverWritten.includes(name)));
    for (const caller of callers) {
      const fault = (what: string) => violations.push(`${nameOf(route)} by ${caller.name}: ${what}`);
      const alone = await rowsAfter(route, caller, {}, 'body');
      for (const carrier of ['body', 'query'] as const) {
        const text = JSON.stringify(await rowsAfter(route, caller, strange, carrier));
        fieldsTried += Object.keys(strange).length;
        if (text.includes(word) || text.includes(String(number)))
          fault(`an undeclared field in the ${carrier} was written`);
      }
      for (const [name, value] of Object.entries(plausible)) {
        if (mine.has(name)) continue;
        fieldsTried += 1;
        const rows = comparable(await rowsAfter(route, caller, { [name]: value }, 'body'));
        // A call may refuse the field. In this case nothing changed at all.
        if (rows !== comparable(alone) && rows !== comparable(start)) fault(`${name} made a difference`);
      }
    }
    expect(violations.slice(before)).toEqual([]);
  },
);

it('every write of the contract was tried', () => {
  expect(writes.length).toBeGreaterThan(40);
  expect(tries).toBeGreaterThan(writes.length * 10);
});
