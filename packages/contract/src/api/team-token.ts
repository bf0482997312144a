import { z } from 'zod';
import { route } from '../route.ts';
import { teamRole } from '../roles.ts';
import { tokenChange, tokenData, tokenInput, tokenListQuery } from './token.ts';
import { teamId } from './team/index.ts';
import { groupChoices } from './user.ts';
import { meanings } from '../meanings.ts';

/** A key of a team; `user_id` is its creator. Calls count against the creator's limit. */
export const teamTokenData = tokenData.extend({
  username: z.string().meta(meanings.username),
});
export type TeamTokenData = z.output<typeof teamTokenData>;

const id = z.object({ id: teamId.meta(meanings.organisationId) });
const one = id.extend({ token: teamId.meta(meanings.tokenId) });

/** Keys of a team. Members have their own keys. Managers and owners can see and disable all keys. */
export const teamTokenApi = {
  list: route('GET', '/api/team/:id/token', {
    summary: { zh: '列出组织的令牌', en: 'List the keys of an organisation' },
    example: { id: 1, p: 0, size: 10 },
    access: 'user',
    teamRole: teamRole.member,
    input: tokenListQuery.extend({ id: teamId.meta(meanings.organisationId) }),
    data: z.array(teamTokenData),
  }),
  /** Returns the whole key to its creator and a shortened key to others. */
  get: route('GET', '/api/team/:id/token/:token', {
    summary: { zh: '读取组织的一个令牌', en: 'Read a key of an organisation' },
    audit: 'token.reveal',
    errors: ['row_not_found'],
    example: { id: 1, token: 1 },
    access: 'user',
    teamRole: teamRole.member,
    reauthenticate: 'with-factor',
    input: one,
    data: teamTokenData,
  }),
  /** Returns the whole new key. */
  create: route('POST', '/api/team/:id/token', {
    summary: { zh: '创建组织令牌，返回完整密钥', en: 'Create a key of an organisation; answers it whole' },
    audit: 'token.create',
    errors: [
      'team_is_banned',
      'token_name_too_long',
      'token_address_malformed',
      'token_group_forbidden',
      'token_limit_reached',
    ],
    example: { id: 1, name: 'build server', unlimited_quota: true },
    access: 'user',
    teamRole: teamRole.member,
    reauthenticate: 'with-factor',
    input: tokenInput.extend({ id: teamId.meta(meanings.organisationId) }),
    data: teamTokenData,
  }),
  update: route('PUT', '/api/team/:id/token/:token', {
    summary: { zh: '修改组织令牌', en: 'Change a key of an organisation' },
    audit: 'token.update',
    errors: [
      'team_is_banned',
      'row_not_found',
      'token_name_too_long',
      'token_address_malformed',
      'token_group_forbidden',
      'token_expired',
      'token_exhausted',
    ],
    example: { id: 1, token: 1, name: 'night build' },
    access: 'user',
    teamRole: teamRole.member,
    input: tokenChange
      .omit({ id: true })
      .extend({ id: teamId.meta(meanings.organisationId), token: teamId.meta(meanings.tokenId) }),
    echoes: teamTokenData,
    data: teamTokenData,
  }),
  remove: route('DELETE', '/api/team/:id/token/:token', {
    summary: { zh: '删除组织令牌', en: 'Delete a key of an organisation' },
    audit: 'token.delete',
    errors: ['row_not_found'],
    example: { id: 1, token: 2 },
    access: 'user',
    teamRole: teamRole.member,
    input: one,
    data: z.null(),
  }),
  /** Models of all groups that are allowed for keys of the team. */
  models: route('GET', '/api/team/:id/models', {
    summary: { zh: '列出组织的令牌可用的模型', en: 'List the models that keys of an organisation may call' },
    example: { id: 1 },
    access: 'user',
    teamRole: teamRole.member,
    input: id,
    data: z.array(z.string()),
  }),
  /** Depends on the team's group, not on the caller's group. */
  groups: route('GET', '/api/team/:id/groups', {
    summary: { zh: '列出组织的令牌可选的分组', en: 'List the groups that keys of an organisation may have' },
    example: { id: 1 },
    access: 'user',
    teamRole: teamRole.member,
    input: id,
    data: groupChoices,
  }),
};
