import { type Json, type JsonObject, objectsIn, objectOf, textOf } from '../../lib/json.ts';

/** Keywords that OpenAI and Anthropic refuse at the top of a function's parameters, which must be an object. */
const refusedAtTop = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'] as const;

const namesIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/**
 * The schema of a function's parameters as an object without alternatives: it has the members of all alternatives, and
 * requires the members that each alternative requires. The removed keywords are named (`drop`).
 */
export function objectSchema(schema: JsonObject, drop: (what: string) => void): JsonObject {
  const gone = refusedAtTop.filter((name) => schema[name] !== undefined);
  if (gone.length === 0) return schema.type === 'object' ? schema : { ...schema, type: 'object' };
  for (const name of gone) drop(name);
  const kept = Object.entries(schema).filter(([name]) => !gone.some((each) => each === name));
  const branches = (list: Json | undefined): JsonObject[] =>
    objectsIn(list).map((each) => resolved(each, schema));
  const all = branches(schema.allOf);
  const any = branches(schema.anyOf);
  const one = branches(schema.oneOf);
  const properties = collectMembers([schema, ...all, ...any, ...one]);
  const required = new Set([
    ...namesIn(schema.required),
    ...[...new Set(all.map((branch) => branch.required))].flatMap(namesIn),
    ...commonNames(any),
    ...commonNames(one),
  ]);
  return {
    ...Object.fromEntries(kept),
    type: 'object',
    ...(properties.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/**
 * The members of all branches; the first of a name is used. Branches of one definition share its members, read once.
 */
function collectMembers(branches: readonly JsonObject[]): Map<string, Json | undefined> {
  const members = new Map<string, Json | undefined>();
  for (const properties of new Set(branches.map((branch) => branch.properties)))
    for (const [name, value] of Object.entries(objectOf(properties)))
      if (!members.has(name)) members.set(name, value);
  return members;
}

/** Members that every branch requires. */
function commonNames(branches: readonly JsonObject[]): Json[] {
  const lists = [...new Set(branches.map(({ required }) => required))];
  const [first, ...others] = lists.map((list) => new Set(namesIn(list)));
  return first ? [...first].filter((name) => others.every((each) => each.has(name))) : [];
}

/** A branch that only refers to a definition. */
function resolved(branch: JsonObject, { $defs, definitions }: JsonObject): JsonObject {
  const [, name = ''] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(textOf(branch.$ref)) ?? [];
  const all = [objectOf($defs), objectOf(definitions)].find((each) => Object.hasOwn(each, name));
  return all ? { ...objectOf(all[name]), ...branch } : branch;
}
