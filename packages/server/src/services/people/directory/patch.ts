import { AppError } from '@tollgate/contract';
import { z } from 'zod';
import { isObject } from '../../../lib/json.ts';
import {
  memberOf,
  meetsScimFilter,
  parseScimPath,
  type ScimFilter,
  type ScimPath,
} from '../../../lib/scim-filter.ts';

/** An attribute that clients may write. */
interface Attribute {
  /** Its name on the wire. */
  name: string;
  /** `list`: several objects with a `value`. */
  kind: 'simple' | 'object' | 'list';
  /** Names of the members of an object or of each value, by the name in lower case. */
  members?: Readonly<Record<string, string>>;
}

/** The attributes of a kind of resource, by their names in lower case. */
export type Shape = Readonly<Record<string, Attribute>>;

/** A resource with the names of its shape. */
export type Resource = Record<string, unknown>;

const attributeOf = (shape: Shape, name: string): Attribute | undefined =>
  Object.hasOwn(shape, name) ? shape[name] : undefined;

const nameIn = ({ members = {} }: Attribute, sub: string): string | undefined =>
  Object.hasOwn(members, sub) ? members[sub] : undefined;

/** The members of an object that its attribute knows, by their usual names. */
const knownMembers = (attribute: Attribute, value: Readonly<Record<string, unknown>>): Resource =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const known = nameIn(attribute, name.toLowerCase());
      return known === undefined ? [] : [[known, each]];
    }),
  );

/** A value of a list: an object, or its `value` alone. */
function readElement(attribute: Attribute, value: unknown): Resource {
  if (typeof value === 'string') return { value };
  if (!isObject(value)) throw new AppError('scim_value', { attribute: attribute.name });
  return knownMembers(attribute, value);
}

/** The values of a list; a single one may be without brackets. */
const readElements = (attribute: Attribute, value: unknown): Resource[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value])
    .filter((each) => each !== null && each !== undefined)
    .map((each) => readElement(attribute, each));

function readAttribute(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined || attribute.kind === 'simple') return value;
  if (attribute.kind === 'list') return readElements(attribute, value);
  if (!isObject(value)) throw new AppError('scim_value', { attribute: attribute.name });
  return knownMembers(attribute, value);
}

/** The attributes of a body that its shape knows, by their usual names. Others have no effect (RFC 7643, 2.1). */
export function readResource(shape: Shape, body: Readonly<Record<string, unknown>>): Resource {
  const resource: Resource = {};
  for (const [name, value] of Object.entries(body)) {
    const attribute = attributeOf(shape, name.toLowerCase());
    if (attribute) resource[attribute.name] = readAttribute(attribute, value);
  }
  return resource;
}

const operation = z.object({
  op: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(['add', 'replace', 'remove'])),
  path: z.string().max(2_000).nullish(),
  value: z.unknown().optional(),
});
type Operation = z.output<typeof operation>;

/** Most operations in one request. */
const maxOperations = 1_000;
const operations = z.array(operation).min(1).max(maxOperations);

/**
 * Applies the operations of a PATCH (RFC 7644, 3.5.2) to a resource, which it returns anew. Attributes that the shape
 * does not know have no effect, because directories send all they have. Throws `scim_syntax`, `scim_path`,
 * `scim_target`, `scim_value`.
 */
export function patchResource(
  shape: Shape,
  resource: Resource,
  body: Readonly<Record<string, unknown>>,
): Resource {
  const parsed = operations.safeParse(memberOf(body, 'operations'));
  if (!parsed.success) throw new AppError('scim_syntax', { detail: 'Operations' });
  const result = structuredClone(resource);
  let looks = 0;
  for (const each of parsed.data) {
    looks += looksOf(result, each);
    if (looks > maxLooks) throw new AppError('scim_syntax', { detail: 'Operations' });
    apply(shape, result, each);
  }
  return result;
}

/** Most looks at values of lists in one request: about a second, in which this process does nothing else. */
const maxLooks = 5_000_000;

/** About as many looks as an operation takes: each of its paths may compare each value several times. */
function looksOf(resource: Resource, { path, value }: Operation): number {
  const paths = path ? [path] : isObject(value) ? Object.keys(value) : [];
  const size = Math.max(...Object.values(resource).map((each) => (Array.isArray(each) ? each.length : 0)), 0);
  return paths.reduce((sum, each) => sum + size * (1 + each.length / 50), 0);
}

function apply(shape: Shape, resource: Resource, { op, path, value }: Operation): void {
  if (path !== null && path !== undefined && path !== '') {
    const target = parseScimPath(path);
    if (!target) throw new AppError('scim_path', { path });
    applyAt(shape, resource, op, target, value, path);
    return;
  }
  if (op === 'remove') throw new AppError('scim_target', { path: 'remove' });
  if (!isObject(value)) throw new AppError('scim_value', { attribute: 'value' });
  for (const [name, each] of Object.entries(value)) {
    // Names may be paths here: `name.familyName`, `emails[type eq "work"].value`.
    const target = parseScimPath(name);
    if (!target) throw new AppError('scim_path', { path: name });
    applyAt(shape, resource, op, target, each, name);
  }
}

function applyAt(
  shape: Shape,
  resource: Resource,
  op: Operation['op'],
  target: ScimPath,
  value: unknown,
  path: string,
): void {
  const attribute = attributeOf(shape, target.attribute);
  if (!attribute) return;
  if (attribute.kind === 'list') return applyToList(attribute, resource, op, target, value, path);
  if (target.filter) throw new AppError('scim_path', { path });
  if (attribute.kind === 'simple') {
    if (target.sub !== undefined) throw new AppError('scim_path', { path });
    resource[attribute.name] = op === 'remove' ? undefined : value;
    return;
  }
  const before = isObject(resource[attribute.name]) ? (resource[attribute.name] as Resource) : {};
  if (target.sub !== undefined) {
    const name = nameIn(attribute, target.sub);
    if (name !== undefined)
      resource[attribute.name] = { ...before, [name]: op === 'remove' ? undefined : value };
    return;
  }
  const given = op === 'remove' ? undefined : readAttribute(attribute, value);
  resource[attribute.name] = isObject(given) ? { ...before, ...given } : undefined;
}

const keyOf = (element: Resource): unknown =>
  typeof element['value'] === 'string' ? element['value'].toLowerCase() : JSON.stringify(element);

/** Adds values to a list; a value that is there is merged. Only one can be the primary one. */
function merge(list: readonly Resource[], added: readonly Resource[]): Resource[] {
  const all = new Map(list.map((each) => [keyOf(each), each]));
  for (const each of added) {
    if (isTrue(each['primary']))
      for (const [key, other] of all)
        if (isTrue(other['primary'])) all.set(key, { ...other, primary: false });
    all.set(keyOf(each), { ...all.get(keyOf(each)), ...each });
  }
  return [...all.values()];
}

const isTrue = (value: unknown): boolean => value === true || String(value).toLowerCase() === 'true';

/** The members that an `eq` filter names, for a value that is not there yet; undefined for other filters. */
function namedBy(attribute: Attribute, filter: ScimFilter): Resource | undefined {
  const parts = filter.kind === 'and' ? filter.of : [filter];
  const named: Resource = {};
  for (const part of parts) {
    if (part.kind !== 'compare' || part.operator !== 'eq') return undefined;
    const name = nameIn(attribute, part.attribute);
    if (name === undefined) return undefined;
    named[name] = part.value;
  }
  return named;
}

function applyToList(
  attribute: Attribute,
  resource: Resource,
  op: Operation['op'],
  { filter, sub }: ScimPath,
  value: unknown,
  path: string,
): void {
  const list = (resource[attribute.name] ?? []) as Resource[];
  const name = sub === undefined ? undefined : nameIn(attribute, sub);
  if (sub !== undefined && name === undefined) return;
  const isMeant = (each: Resource): boolean => filter === undefined || meetsScimFilter(filter, each);
  if (op === 'remove') {
    resource[attribute.name] = removeFrom(attribute, list, {
      isMeant,
      name,
      value,
      isAll: filter === undefined,
    });
    return;
  }
  if (filter === undefined && name === undefined) {
    const given = readElements(attribute, value);
    resource[attribute.name] = op === 'add' ? merge(list, given) : merge([], given);
    return;
  }
  const given: Resource = name === undefined ? readElement(attribute, value) : { [name]: value };
  if (list.some(isMeant)) {
    resource[attribute.name] = list.map((each) => (isMeant(each) ? { ...each, ...given } : each));
    return;
  }
  // Entra replaces the work address of users who have none yet.
  const start = filter === undefined ? {} : namedBy(attribute, filter);
  if (!start) throw new AppError('scim_target', { path });
  resource[attribute.name] = merge(list, [{ ...start, ...given }]);
}

function removeFrom(
  attribute: Attribute,
  list: readonly Resource[],
  removal: { isMeant: (each: Resource) => boolean; name: string | undefined; value: unknown; isAll: boolean },
): Resource[] {
  const { isMeant, name, value, isAll } = removal;
  if (name !== undefined) return list.map((each) => (isMeant(each) ? { ...each, [name]: undefined } : each));
  if (!isAll || value === undefined || value === null) return list.filter((each) => !isMeant(each));
  // Entra names the removed values in the body.
  const gone = new Set(readElements(attribute, value).map(keyOf));
  return list.filter((each) => !gone.has(keyOf(each)));
}
