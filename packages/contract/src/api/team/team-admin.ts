import { z } from 'zod';
import { pageOf, pageQuery } from '../../envelope.ts';
import { maxQuota } from '../../quota.ts';
import { route } from '../../route.ts';
import { teamStatus } from '../../roles.ts';
import { whole } from '../../whole.ts';
import { teamId, teamName } from './team.ts';

/** A team as administrators see it. */
const managedTeamData = z.object({
  id: z.number().int(),
  name: z.string(),
  group: z.string(),
  status: z.number().int(),
  owner_id: z.number().int(),
  owner_name: z.string(),
  /** Who may be changed: only those of lower rank, and what they own; 0 where the owner is gone. */
  owner_role: z.number().int(),
  created_time: z.number().int(),
  member_count: z.number().int(),
  /** Quota units: the wallet, what running calls hold of it, and what calls took from it ever. */
  balance: z.number().int(),
  held: z.number().int(),
  used_quota: z.number().int(),
});
export type ManagedTeamData = z.output<typeof managedTeamData>;

/** All teams, for administrators. */
export const teamAdminApi = {
  /** The keyword is part of a name, or an id. */
  list: route('GET', '/api/team/all', {
    summary: { zh: '列出所有组织', en: 'List all organisations' },
    example: { keyword: 'research' },
    access: 'admin',
    input: pageQuery.extend({ keyword: z.string().trim().max(100).default('') }),
    data: pageOf(managedTeamData),
  }),
  /** Absent fields stay as they are. A banned team's keys stop at once. */
  update: route('PUT', '/api/team/all/:id', {
    summary: {
      zh: '管理组织：名称、分组、状态、所有者',
      en: 'Change an organisation: name, group, status, owner',
    },
    audit: 'team.manage',
    errors: ['team_not_found', 'team_member_not_found', 'cannot_edit_peer', 'group_unknown'],
    example: { id: 1, group: 'vip' },
    access: 'admin',
    reauthenticate: 'with-factor',
    input: z.object({
      id: teamId,
      name: teamName.optional(),
      group: z.string().trim().min(1).max(64).optional(),
      status: whole(teamStatus.enabled, teamStatus.banned).optional(),
      /** A member who becomes the owner, where the former one is gone. */
      owner_id: teamId.optional(),
    }),
    echoes: managedTeamData,
    data: managedTeamData,
  }),
  /** Adds to the wallet, or takes away what is below zero; the reason stands in the ledger and on the statement. */
  adjust: route('POST', '/api/team/all/:id/quota', {
    summary: { zh: '调整组织的额度', en: 'Change an organisation’s quota by hand' },
    audit: 'team.manage',
    errors: ['team_not_found', 'cannot_edit_peer', 'quota_would_be_negative'],
    example: { id: 1, quota: 500_000, reason: 'contract 7' },
    access: 'admin',
    reauthenticate: 'with-factor',
    input: z.object({
      id: teamId,
      quota: whole(-maxQuota, maxQuota),
      reason: z.string().trim().min(1).max(255),
    }),
    data: managedTeamData,
  }),
};
