import { type AuditKind, type Method, route } from '@tollgate/contract';
import { z } from 'zod';

/** Attributes of a resource and parameters of a query: the directory checks them, as RFC 7643 and 7644 say. */
const input = z.looseObject({});

/** A call of SCIM 2.0. Root's access tokens with the scope `scim` make it; its answers have no envelope. */
const call = (method: Method, path: string, audit?: AuditKind) =>
  route(method, `/scim/v2${path}`, {
    summary: { zh: '企业目录（SCIM 2.0）', en: 'Directory of a company (SCIM 2.0)' },
    access: 'root',
    scope: 'scim',
    input,
    data: z.unknown(),
    bare: 'data',
    ...(audit && { audit }),
  });

/** The calls of a company's directory. They are not in the reference: SCIM describes itself. */
export const scimApi = {
  config: call('GET', '/ServiceProviderConfig'),
  types: call('GET', '/ResourceTypes'),
  type: call('GET', '/ResourceTypes/:resource'),
  schemas: call('GET', '/Schemas'),
  schema: call('GET', '/Schemas/:resource'),
  users: call('GET', '/Users'),
  createUser: call('POST', '/Users', 'user.create'),
  user: call('GET', '/Users/:resource'),
  replaceUser: call('PUT', '/Users/:resource', 'user.update'),
  patchUser: call('PATCH', '/Users/:resource', 'user.update'),
  deleteUser: call('DELETE', '/Users/:resource', 'user.disable'),
  groups: call('GET', '/Groups'),
  createGroup: call('POST', '/Groups', 'user.directory'),
  group: call('GET', '/Groups/:resource'),
  replaceGroup: call('PUT', '/Groups/:resource', 'user.directory'),
  patchGroup: call('PATCH', '/Groups/:resource', 'user.directory'),
  deleteGroup: call('DELETE', '/Groups/:resource', 'user.directory'),
};
