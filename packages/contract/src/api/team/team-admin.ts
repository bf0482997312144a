import { z } from 'zod';
import { channelRuleFields, channelRuleMeanings } from './channel-rule.ts';
import { pageOf, pageQuery } from '../../envelope.ts';
import { maxQuota } from '../../quota.ts';
import { route } from '../../route.ts';
import { teamStatus } from '../../roles.ts';
import { creditEnd, whole } from '../../whole.ts';
import { teamId, teamName } from './team.ts';
import { meanings } from '../../meanings.ts';

/** A team as administrators see it. */
const managedTeamData = z.object({
  id: z.number().int().meta(meanings.organisationId),
  name: z.string().meta(meanings.organisationName),
  group: z.string().meta(meanings.group),
  /** Rule for the channels of all its keys; a key can only narrow it. */
  regions: z.string().meta(channelRuleMeanings.regions),
  no_retention: z.boolean().meta(channelRuleMeanings.no_retention),
  status: z.number().int().meta(meanings.status),
  owner_id: z.number().int().meta({ zh: '所有者的用户 ID', en: 'User id of the owner' }),
  owner_name: z.string().meta({ zh: '所有者的用户名', en: 'Username of the owner', example: 'alice' }),
  /** Role of the owner; 0 if the owner is deleted. Administrators can change only users of lower rank and their teams. */
  owner_role: z.number().int().meta(meanings.role),
  created_time: z.number().int().meta(meanings.seconds),
  member_count: z.number().int().meta({ zh: '成员数', en: 'Number of members' }),
  balance: z
    .number()
    .int()
    .meta({ ...meanings.quota, example: 1_400_000 }),
  held: z
    .number()
    .int()
    .meta({ zh: '进行中的调用所冻结，额度单位', en: 'What running calls hold, in quota units' }),
  used_quota: z.number().int().meta(meanings.usedQuota),
});
export type ManagedTeamData = z.output<typeof managedTeamData>;

/** All teams, for administrators. */
export const teamAdminApi = {
  /** The keyword is an id or part of a name. */
  list: route('GET', '/api/team/all', {
    summary: { zh: '列出所有组织', en: 'List all organisations' },
    example: { keyword: 'research' },
    access: 'admin',
    input: pageQuery.extend({ keyword: z.string().trim().max(100).default('').meta(meanings.keyword) }),
    data: pageOf(managedTeamData),
  }),
  /** Absent fields keep their values. The keys of a banned team stop working at once. */
  update: route('PUT', '/api/team/all/:id', {
    summary: {
      zh: '管理组织：名称、分组、渠道规则、状态、所有者',
      en: 'Change an organisation: name, group, rule for channels, status, owner',
    },
    audit: 'team.manage',
    errors: ['team_not_found', 'team_member_not_found', 'cannot_edit_peer', 'group_unknown'],
    example: { id: 1, group: 'vip' },
    access: 'admin',
    reauthenticate: 'with-factor',
    input: z.object({
      id: teamId.meta(meanings.organisationId),
      name: teamName.optional().meta(meanings.organisationName),
      group: z.string().trim().min(1).max(64).optional().meta(meanings.group),
      regions: channelRuleFields.regions.optional().meta(channelRuleMeanings.regions),
      no_retention: channelRuleFields.no_retention.optional().meta(channelRuleMeanings.no_retention),
      status: whole(teamStatus.enabled, teamStatus.banned).optional().meta(meanings.status),
      owner_id: teamId.optional().meta({ zh: '新所有者的用户 ID', en: 'User id of the new owner' }),
    }),
    echoes: managedTeamData,
    data: managedTeamData,
  }),
  /** Adds an amount to the wallet; a negative amount is subtracted. Ledger and statement include the reason. */
  adjust: route('POST', '/api/team/all/:id/quota', {
    summary: { zh: '调整组织的额度', en: 'Change an organisation’s quota by hand' },
    audit: 'team.manage',
    errors: ['team_not_found', 'cannot_edit_peer', 'quota_would_be_negative', 'credit_expiry_past'],
    example: { id: 1, quota: 500_000, reason: 'contract 7' },
    access: 'admin',
    reauthenticate: 'with-factor',
    input: z.object({
      id: teamId.meta(meanings.organisationId),
      quota: whole(-maxQuota, maxQuota).meta({
        zh: '增加的额度单位，负数为扣除',
        en: 'Quota units to add; below 0 to take away',
      }),
      reason: z.string().trim().min(1).max(255).meta({ zh: '调整的原因', en: 'Why the balance is adjusted' }),
      expires_time: creditEnd,
    }),
    data: managedTeamData,
  }),
};
