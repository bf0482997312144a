import { isObject, type Json, type JsonObject, objectsIn, objectOf, textOf } from '../../lib/json.ts';

/** Keywords that OpenAI and Anthropic refuse at the top of a function's parameters, where they take an object alone. */
const refusedAtTop = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'] as const;

const namesIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/**
 * The schema of a function's parameters as an object without alternatives: it has the members of all of them, and requires
 * what each of them requires. The keywords that are gone are named (`drop`).
 */
export function objectSchema(schema: JsonObject, drop: (what: string) => void): JsonObject {
  const gone = refusedAtTop.filter((name) => schema[name] !== undefined);
  if (gone.length === 0) return schema.type === 'object' ? schema : { ...schema, type: 'object' };
  for (const name of gone) drop(name);
  const kept = Object.entries(schema).filter(([name]) => !gone.some((each) => each === name));
  const merged: JsonObject = { ...Object.fromEntries(kept), type: 'object' };
  const branches = (list: Json | undefined): JsonObject[] =>
    objectsIn(list).map((each) => resolved(each, schema));
  for (const branch of branches(schema.allOf)) {
    addMembers(merged, branch);
    merged.required = [...new Set([...namesIn(merged.required), ...namesIn(branch.required)])];
  }
  for (const list of [branches(schema.anyOf), branches(schema.oneOf)]) {
    for (const branch of list) addMembers(merged, branch);
    const [first, ...others] = list.map(({ required }) => namesIn(required));
    const common = (first ?? []).filter((name) => others.every((each) => each.includes(name)));
    if (common.length > 0) merged.required = [...new Set([...namesIn(merged.required), ...common])];
  }
  return merged;
}

function addMembers(merged: JsonObject, { properties }: JsonObject): void {
  if (isObject(properties)) merged.properties = { ...properties, ...objectOf(merged.properties) };
}

/** A branch that is only named here, by its definition. */
function resolved(branch: JsonObject, { $defs, definitions }: JsonObject): JsonObject {
  const [, name = ''] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(textOf(branch.$ref)) ?? [];
  const all = [objectOf($defs), objectOf(definitions)].find((each) => Object.hasOwn(each, name));
  return all ? { ...objectOf(all[name]), ...branch } : branch;
}
