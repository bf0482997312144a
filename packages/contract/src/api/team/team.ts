import { z } from 'zod';
import { maxQuota } from '../../quota.ts';
import { route } from '../../route.ts';
import { limitPeriods, maxTeamName, teamRole } from '../../roles.ts';
import { whole } from '../../whole.ts';
import { meanings } from '../../meanings.ts';

export const teamId = whole(1, Number.MAX_SAFE_INTEGER);
export const teamName = z.string().trim().min(1).max(maxTeamName);

/** A member's limit and usage. */
const limit = {
  limit_period: z.enum(limitPeriods).meta(meanings.limitPeriod),
  limit_quota: z
    .number()
    .int()
    .meta({ zh: '上限，额度单位；无上限时为 0', en: 'The limit in quota units; 0 without one' }),
  limit_left: z.number().int().nullable().meta({
    zh: '上限所剩，额度单位；无上限时为 null',
    en: 'Left of the limit in quota units; null without one',
    example: 5_000_000,
  }),
  /** Quota units that the member's calls used from the wallet: in total, and in this calendar month (UTC). */
  used_quota: z.number().int().meta(meanings.usedQuota),
  used_month: z
    .number()
    .int()
    .meta({ zh: '本月（UTC）已用，额度单位', en: 'Used in this calendar month (UTC), in quota units' }),
};

/** A team as one of its members sees it, with the member's own role and limit. */
const teamData = z.object({
  id: z.number().int().meta(meanings.organisationId),
  name: z.string().meta(meanings.organisationName),
  group: z.string().meta({
    zh: '决定渠道、倍率和密钥可选的分组',
    en: 'Decides over channels, ratio and the groups of its keys',
    example: 'default',
  }),
  status: z.number().int().meta(meanings.status),
  owner_id: z.number().int().meta({ zh: '所有者的用户 ID', en: 'The user id of its owner' }),
  owner_name: z.string().meta({ zh: '所有者的用户名', en: 'Username of the owner', example: 'alice' }),
  created_time: z.number().int().meta(meanings.seconds),
  member_count: z.number().int().meta({ zh: '成员数', en: 'How many members it has' }),
  balance: z.number().int().meta(meanings.quota),
  role: z
    .number()
    .int()
    .meta({ ...meanings.teamRole, example: 3 }),
  ...limit,
});
export type TeamData = z.output<typeof teamData>;

const teamMemberData = z.object({
  user_id: z.number().int().meta(meanings.userId),
  username: z.string().meta(meanings.username),
  display_name: z.string().meta(meanings.displayName),
  role: z
    .number()
    .int()
    .meta({ ...meanings.teamRole, example: 3 }),
  status: z.number().int().meta(meanings.status),
  ...limit,
  joined_time: z.number().int().meta(meanings.seconds),
});
export type TeamMemberData = z.output<typeof teamMemberData>;

const id = z.object({ id: teamId.meta(meanings.organisationId) });
const userId = teamId;
const amount = whole(1, maxQuota);

/** Teams, which the console calls organisations: people who share a wallet (docs/money.md#organisations). */
const walletAfter = z.number().int().meta({
  zh: '操作后的组织余额；解散时为退回、兑换时为获得的额度，额度单位',
  en: 'The wallet afterwards; of a deletion what the owner gets, of a code what it brings. In quota units',
  example: 500_000,
});

export const teamApi = {
  /** The caller's teams. */
  list: route('GET', '/api/team/', {
    summary: { zh: '列出自己所在的组织', en: 'List the organisations one is in' },
    example: {},
    access: 'user',
    input: z.object({}),
    data: z.array(teamData),
  }),
  /** The caller becomes the owner of the new team. */
  create: route('POST', '/api/team/', {
    summary: { zh: '创建组织', en: 'Open an organisation' },
    audit: 'team.create',
    errors: ['team_limit_reached'],
    example: { name: 'Research' },
    access: 'user',
    input: z.object({ name: teamName.meta(meanings.organisationName) }),
    data: teamData,
  }),
  get: route('GET', '/api/team/:id', {
    summary: { zh: '读取一个组织', en: 'Read an organisation' },
    example: { id: 1 },
    access: 'user',
    teamRole: teamRole.member,
    input: id,
    data: teamData,
  }),
  rename: route('PUT', '/api/team/:id', {
    summary: { zh: '重命名组织', en: 'Rename an organisation' },
    audit: 'team.update',
    errors: ['team_is_banned'],
    example: { id: 1, name: 'Research and more' },
    access: 'user',
    teamRole: teamRole.manager,
    input: id.extend({ name: teamName.meta(meanings.organisationName) }),
    echoes: teamData,
    data: teamData,
  }),
  /** Moves the balance to the owner's wallet and returns the amount. Refused while calls run. */
  remove: route('DELETE', '/api/team/:id', {
    summary: { zh: '解散组织，余额退回所有者', en: 'Delete an organisation; its wallet goes to the owner' },
    audit: 'team.delete',
    errors: ['team_is_banned', 'team_has_running_calls'],
    example: { id: 2 },
    access: 'user',
    teamRole: teamRole.owner,
    reauthenticate: 'with-factor',
    input: id,
    data: walletAfter,
  }),
  /** Transfers the team to another member. The previous owner becomes a manager. */
  handOver: route('POST', '/api/team/:id/owner', {
    summary: { zh: '转让组织', en: 'Hand an organisation over' },
    audit: 'team.owner',
    errors: ['team_is_banned', 'team_member_not_found'],
    example: { id: 2, user_id: 3 },
    access: 'user',
    teamRole: teamRole.owner,
    reauthenticate: 'with-factor',
    input: id.extend({ user_id: userId.meta(meanings.userId) }),
    data: z.null(),
  }),
  leave: route('POST', '/api/team/:id/leave', {
    summary: { zh: '离开组织', en: 'Leave an organisation' },
    audit: 'team.leave',
    errors: ['team_owner_stays'],
    example: { id: 2 },
    access: 'user',
    teamRole: teamRole.member,
    input: id,
    data: z.null(),
  }),
  /** Moves quota from the caller's own wallet to the team's wallet. Returns the team's balance. */
  fund: route('POST', '/api/team/:id/fund', {
    summary: { zh: '从个人钱包转入组织', en: 'Move quota from the own wallet to an organisation' },
    audit: 'team.quota',
    errors: ['team_is_banned', 'balance_insufficient'],
    example: { id: 1, quota: 500_000 },
    access: 'user',
    teamRole: teamRole.manager,
    reauthenticate: 'with-factor',
    input: id.extend({ quota: amount.meta(meanings.quota) }),
    data: walletAfter,
  }),
  /** Moves quota from the team's wallet to the owner's own wallet. Returns the team's balance. */
  withdraw: route('POST', '/api/team/:id/withdraw', {
    summary: {
      zh: '从组织转回所有者的钱包',
      en: 'Move quota from an organisation to the owner’s own wallet',
    },
    audit: 'team.quota',
    errors: ['team_is_banned', 'balance_insufficient'],
    example: { id: 1, quota: 100_000 },
    access: 'user',
    teamRole: teamRole.owner,
    reauthenticate: 'with-factor',
    input: id.extend({ quota: amount.meta(meanings.quota) }),
    data: walletAfter,
  }),
  /** Redeems a code for the team's wallet. Returns the added quota. */
  redeem: route('POST', '/api/team/:id/redeem', {
    summary: { zh: '为组织兑换兑换码', en: 'Redeem a code for an organisation' },
    audit: 'team.quota',
    errors: [
      'team_is_banned',
      'redeem_code_missing',
      'redeem_code_invalid',
      'redeem_code_used',
      'redeem_code_expired',
      'redeem_too_many_guesses',
    ],
    example: { id: 1, key: 'a code' },
    access: 'user',
    teamRole: teamRole.manager,
    input: id.extend({
      key: z.string().trim().max(128).default('').meta({ zh: '兑换码', en: 'The redemption code' }),
    }),
    data: walletAfter,
  }),
  /**
   * Callers can change only members of lower rank. Managers and owners see the limits of all members; members see
   * their own.
   */
  members: route('GET', '/api/team/:id/member', {
    summary: { zh: '列出组织成员', en: 'List the members of an organisation' },
    example: { id: 1 },
    access: 'user',
    teamRole: teamRole.member,
    input: id,
    data: z.array(teamMemberData),
  }),
  /** Absent fields keep their values. Only owners can appoint managers. */
  changeMember: route('PUT', '/api/team/:id/member', {
    summary: { zh: '修改成员的角色或额度上限', en: 'Change a member’s role or limit' },
    audit: 'team.member',
    errors: ['team_is_banned', 'team_member_not_found', 'team_rank_protected'],
    example: { id: 1, user_id: 3, limit: { period: 'month', quota: 5_000_000 } },
    access: 'user',
    teamRole: teamRole.manager,
    reauthenticate: 'with-factor',
    reauthenticateFor: ['role'],
    input: id.extend({
      user_id: userId.meta(meanings.userId),
      role: whole(teamRole.member, teamRole.manager).optional().meta(meanings.teamRole),
      limit: z
        .object({
          period: z.enum(limitPeriods).meta(meanings.limitPeriod),
          quota: whole(0, maxQuota).default(0).meta(meanings.quota),
        })
        .optional()
        .meta({ zh: '成员的上限', en: 'Limit of the member' }),
    }),
    echoes: teamMemberData,
    data: teamMemberData,
  }),
  /** The member's keys of this team stop working at once. */
  removeMember: route('DELETE', '/api/team/:id/member/:user_id', {
    summary: { zh: '移除成员', en: 'Remove a member' },
    audit: 'team.remove',
    errors: ['team_is_banned', 'team_member_not_found', 'team_rank_protected'],
    example: { id: 2, user_id: 3 },
    access: 'user',
    teamRole: teamRole.manager,
    input: id.extend({ user_id: userId.meta(meanings.userId) }),
    data: z.null(),
  }),
};
