import { z } from 'zod';
import { maxQuota } from '../../quota.ts';
import { route } from '../../route.ts';
import { teamRole } from '../../roles.ts';
import { whole } from '../../whole.ts';
import { teamId } from './team.ts';
import { meanings } from '../../meanings.ts';

/** Maximum number of rows of an import. */
export const maxImportedMembers = 2_000;

/** One member of an import. */
const memberImportRow = z.object({
  username: z.string().trim().max(255).default('').meta(meanings.username),
  email: z
    .string()
    .trim()
    .max(50)
    .default('')
    .meta({ zh: '邮箱；用户名和邮箱至少填一项', en: 'E-mail address; a row has this, a username or both' }),
  display_name: z.string().trim().max(20).default('').meta(meanings.displayName),
  role: whole(teamRole.member, teamRole.manager).optional().meta(meanings.teamRole),
  weekly: whole(0, maxQuota).optional().meta({
    zh: '每周（从周一起）预算，额度单位；不填则不改变',
    en: 'Budget of a week from Monday, in quota units; absent to leave it as it is',
    example: 2_500_000,
  }),
  grant: whole(0, maxQuota).optional().meta({
    zh: '到期前可从组织钱包使用的预算，额度单位；不填则不改变',
    en: 'Budget until a date, which the wallet of the organisation pays, in quota units; absent for no change',
    example: 10_000_000,
  }),
  grant_until: whole(0, 100_000_000_000).default(0).meta({
    zh: '该预算的结束时间，Unix 秒',
    en: 'Unix seconds of the end of that budget',
    example: 0,
  }),
});
export type MemberImportRow = z.output<typeof memberImportRow>;

const memberImportResult = z.object({
  outcome: z.enum(['created', 'added', 'invited', 'changed', 'unchanged', 'error']).meta({
    zh: 'created 创建用户并加入，added 加入，invited 邀请，changed 修改，unchanged 无变化，error 出错',
    en: 'Made a user and a member, added, invited, changed, left as it was, or refused with an error',
    example: 'invited',
  }),
  username: z.string().meta({ ...meanings.username, example: 'bob' }),
  error: z
    .string()
    .meta({ zh: '出错的原因；没有则为空', en: 'Why the row was refused; empty if it was not' }),
  password: z.string().meta({
    zh: '新用户的密码，仅此一次；其他为空',
    en: 'Password of a new user, which is shown only here; empty for others',
  }),
  code: z.string().meta({
    ...meanings.invitationCode,
    zh: '邀请代码；其他为空',
    en: 'Code of an invitation; empty for others',
  }),
});
export type MemberImportResult = z.output<typeof memberImportResult>;

const input = z.object({
  id: teamId.meta(meanings.organisationId),
  rows: z.array(memberImportRow).min(1).max(maxImportedMembers).meta({ zh: '成员', en: 'The members' }),
  time_zone: z
    .string()
    .max(64)
    .default('UTC')
    .meta({ zh: '一周所用时区的 IANA 名称', en: 'IANA name of the time zone of a week', example: 'UTC' }),
  dry_run: z.boolean().default(false).meta({
    zh: '仅预览，不作任何更改',
    en: 'Only answers what would happen',
    example: true,
  }),
});
const data = z.array(memberImportResult);
const example = { id: 1, rows: [{ username: 'bob', weekly: 2_500_000 }], dry_run: true };

/** Members with limits, many at once. Each row is applied by itself; repeating an import changes nothing more. */
export const teamImportApi = {
  /** Users who are no members are invited; their limits are set when they join. */
  own: route('POST', '/api/team/:id/member/import', {
    summary: { zh: '批量邀请成员并设置预算', en: 'Invite members and set their budgets, many at once' },
    audit: 'team.member',
    errors: ['team_is_banned', 'invalid_parameter'],
    example,
    access: 'user',
    teamRole: teamRole.owner,
    reauthenticate: 'with-factor',
    input,
    data,
  }),
  /** Users who are no members are added, and unknown ones are created. */
  all: route('POST', '/api/team/all/:id/member/import', {
    summary: { zh: '批量添加成员并设置预算', en: 'Add members and set their budgets, many at once' },
    audit: 'team.manage',
    errors: ['team_not_found', 'team_is_banned', 'invalid_parameter'],
    example,
    access: 'root',
    reauthenticate: 'with-factor',
    input,
    data,
  }),
};
