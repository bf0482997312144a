/** @module-tag deep */
import { consoleApis, type ReferenceData, type Route } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MovingDesk } from '../../testing/moving-in/importing.ts';
import { DocumentCheck } from '../../testing/reference/check-json.ts';
import { type Person, ReferenceWorld, type WireAnswer } from '../../testing/reference/world.ts';
import { ReferencePeople } from '../../testing/reference/people.ts';
import { writeDocument } from './document.ts';
import type { Operation } from './shape/types.ts';

let world: ReferenceWorld;
let people: ReferencePeople;
let document: ReferenceData;
beforeAll(async () => {
  world = await ReferenceWorld.open();
  document = writeDocument('en', 'test');
});
afterAll(async () => {
  desk.close();
  await world.close();
});

const calls: Route[] = consoleApis.flatMap(({ calls: each }) => Object.values(each));
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const isSetUp = ({ method, path }: Route): boolean => method === 'POST' && path === '/api/setup';
const isBefore = ({ path }: Route): boolean => path === '/api/setup/rehearse';
const rank = (route: Route): number => (isBefore(route) ? 0 : isSetUp(route) ? 1 : 2);
/** The set-up is first, after its rehearsal of an import: all other calls need a root user. */
const inOrder = calls.toSorted((a, b) => rank(a) - rank(b));
const desk = new MovingDesk();

const operationOf = ({ method, path }: Route): Operation =>
  (document.paths[path.replace(/:(\w+)/g, '{$1}')] as Record<string, Operation>)[method.toLowerCase()]!;

/** The schema that the reference states for a status. */
function schemaOf(operation: Operation, status: number): object {
  const stated = operation.responses[status];
  if (stated === undefined) throw new Error(`${operation.operationId}: ${status} is not in the reference`);
  const components = document.components as { responses: Record<string, object> };
  const answer = '$ref' in stated ? components.responses[stated.$ref.split('/').at(-1)!] : stated;
  return (answer as { content: Record<string, { schema: object }> }).content['application/json']!.schema;
}

/** Sends the example of a call as a user with access to it. */
async function sendExample(route: Route): Promise<WireAnswer> {
  const example = (route.example ?? {}) as Record<string, unknown>;
  if (isBefore(route)) {
    const source = { source_database: await desk.oldFile('one-api'), credit: 1 };
    return world.send(route, { ...example, ...source, token: world.tollgate.setupToken() }, {});
  }
  if (isSetUp(route)) {
    const answer = await world.send(route, { ...example, token: world.tollgate.setupToken() }, {});
    people = await ReferencePeople.arrive(world);
    return answer;
  }
  const { input = {}, as = {} } = await people.prepare(nameOf(route), route.access);
  const answer = await world.send(route, { ...example, ...input }, as satisfies Person);
  await people.after(nameOf(route), answer.body);
  return answer;
}

it('every example of a console call is answered as the reference says', async () => {
  const check = new DocumentCheck(document as never);
  const faults: string[] = [];
  for (const route of inOrder) {
    const { status, body } = await sendExample(route);
    const fault = check.faultOf(schemaOf(operationOf(route), status), body);
    if (fault !== '') faults.push(`${nameOf(route)}: ${fault}`);
    if (status !== 200 || (body as { success?: boolean }).success === false)
      faults.push(`${nameOf(route)}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  }
  expect(faults).toEqual([]);
}, 120_000);
