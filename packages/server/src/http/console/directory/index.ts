import { AppError } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import {
  type Directory,
  type ListPart,
  type ListQuery,
  maxResults,
  type Resource,
  resourceTypes,
  schemas,
  serviceProviderConfig,
} from '../../../services/people/directory/index.ts';
import type { Settings } from '../../../services/site/settings/index.ts';
import { answer } from '../../answer.ts';
import type { CallContext } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { scimApi } from './calls.ts';

export interface DirectoryRouteDeps {
  directory: Directory;
  settings: Pick<Settings, 'get'>;
}

/** Resources in an answer of a list if the caller does not say how many. */
const usualCount = 100;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The slot of the address. */
const idIn = (input: Resource): string => text(input['resource']);

/** A whole number of a query; negative ones count as 0. */
function numberIn(value: unknown, fallback: number): number {
  const number = /^-?\d{1,9}$/.test(text(value)) ? Number(value) : fallback;
  return Math.max(number, 0);
}

/** Names of attributes in a parameter, in lower case and without the name of their schema. */
const namesIn = (value: unknown): string[] =>
  text(value)
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^urn:.*:(?=[^:]*$)/i, '')
        .toLowerCase(),
    )
    .filter((name) => name !== '');

const always = new Set(['schemas', 'id']);

/** The members that `isKept` accepts, by their path in lower case; objects and lists are searched one level down. */
function pick(resource: Resource, isKept: (path: string) => 'all' | 'some' | 'none'): Resource {
  const kept: Resource = {};
  for (const [name, value] of Object.entries(resource)) {
    const path = name.toLowerCase();
    const how = always.has(path) ? 'all' : isKept(path);
    if (how === 'none') continue;
    const inner = (each: unknown): unknown =>
      isObject(each)
        ? Object.fromEntries(
            Object.entries(each).filter(([sub]) => isKept(`${path}.${sub.toLowerCase()}`) !== 'none'),
          )
        : each;
    if (how === 'all') kept[name] = value;
    else kept[name] = Array.isArray(value) ? value.map(inner) : inner(value);
  }
  return kept;
}

/** A resource with the attributes that the query asks for (RFC 7644, 3.9). */
function project(resource: Resource, { attributes, excludedAttributes }: Resource): Resource {
  const only = namesIn(attributes);
  if (only.length > 0)
    return pick(resource, (path) => {
      if (only.includes(path)) return 'all';
      if (path.includes('.')) return only.includes(path.split('.', 1)[0]!) ? 'all' : 'none';
      return only.some((name) => name.startsWith(`${path}.`)) ? 'some' : 'none';
    });
  const without = namesIn(excludedAttributes);
  if (without.length === 0) return resource;
  return pick(resource, (path) => (without.includes(path) ? 'none' : 'some'));
}

/** True unless the query leaves out the members of groups, which may be many. */
function wantsMembers({ attributes, excludedAttributes }: Resource): boolean {
  const only = namesIn(attributes);
  if (only.length > 0) return only.some((name) => /^members(\.|$)/.test(name));
  return !namesIn(excludedAttributes).includes('members');
}

const queryOf = (input: Resource): ListQuery => ({
  filter: text(input['filter']),
  startIndex: Math.max(numberIn(input['startIndex'], 1), 1),
  count: Math.min(numberIn(input['count'], usualCount), maxResults),
  withMembers: wantsMembers(input),
});

const listOf = ({ total, resources }: ListPart, startIndex: number, input: Resource): Resource => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources.map((resource) => project(resource, input)),
});

/** The calls of SCIM 2.0 (RFC 7644) for the directory of a company. */
export function directoryRoutes({ directory, settings }: DirectoryRouteDeps): MountedRoute[] {
  /** The address of these calls; sets the type of the answer. */
  const begin = ({ origin, reply }: CallContext): string => {
    reply.header('content-type', 'application/scim+json');
    return `${settings.get('ServerAddress') || origin}/scim/v2`;
  };
  const all = (resources: Resource[]): Resource => listOf({ total: resources.length, resources }, 1, {});
  const one = (resources: readonly Resource[], { resource }: Resource): Resource => {
    const found = resources.find(({ id }) => id === resource);
    if (!found) throw new AppError('scim_not_found', { resource: text(resource).slice(0, 64) });
    return found;
  };
  const created = (resource: Resource, input: Resource, { reply }: CallContext) => {
    const { location } = resource['meta'] as { location: string };
    reply.header('location', location);
    return answer({ data: project(resource, input), status: 201 });
  };
  const nothing = answer({ data: undefined, status: 204 });
  const showUser = async (input: Resource, base: string): Promise<Resource> =>
    project(await directory.user(idIn(input), base), input);
  const showGroup = async (input: Resource, base: string): Promise<Resource> =>
    project(await directory.group(idIn(input), base, wantsMembers(input)), input);
  return implement(scimApi, {
    config: (_input, context) => serviceProviderConfig(begin(context)),
    types: (_input, context) => all(resourceTypes(begin(context))),
    type: (input, context) => one(resourceTypes(begin(context)), input),
    schemas: (_input, context) => all(schemas(begin(context))),
    schema: (input, context) => one(schemas(begin(context)), input),
    async users(input, context) {
      const query = queryOf(input);
      return listOf(await directory.users(query, begin(context)), query.startIndex, input);
    },
    async createUser(input, context) {
      const base = begin(context);
      const id = await directory.createUser(input, context.language);
      return created(await directory.user(id, base), input, context);
    },
    user: (input, context) => showUser(input, begin(context)),
    async replaceUser(input, context) {
      await directory.changeUser(idIn(input), 'PUT', input);
      return showUser(input, begin(context));
    },
    async patchUser(input, context) {
      await directory.changeUser(idIn(input), 'PATCH', input);
      return showUser(input, begin(context));
    },
    async deleteUser(input) {
      await directory.deleteUser(idIn(input));
      return nothing;
    },
    async groups(input, context) {
      const query = queryOf(input);
      return listOf(await directory.groups(query, begin(context)), query.startIndex, input);
    },
    async createGroup(input, context) {
      const base = begin(context);
      const id = await directory.createGroup(input);
      return created(await directory.group(id, base, wantsMembers(input)), input, context);
    },
    group: (input, context) => showGroup(input, begin(context)),
    async replaceGroup(input, context) {
      await directory.changeGroup(idIn(input), 'PUT', input);
      return showGroup(input, begin(context));
    },
    // Without the members, which may be many; Entra and Okta expect 204.
    async patchGroup(input) {
      await directory.changeGroup(idIn(input), 'PATCH', input);
      return nothing;
    },
    async deleteGroup(input) {
      await directory.deleteGroup(idIn(input));
      return nothing;
    },
  });
}
