import { z } from 'zod';
import { route } from '../../route.ts';
import { teamRole } from '../../roles.ts';
import { whole } from '../../whole.ts';
import { teamId } from './team.ts';
import { meanings } from '../../meanings.ts';

/** An open invitation, as managers and owners see it. */
const teamInvitationData = z.object({
  id: z.number().int().meta({ zh: '邀请的 ID', en: 'Id of the invitation' }),
  invitee: z.string().meta({ ...meanings.invitee, example: 'bob' }),
  role: z.number().int().meta(meanings.teamRole),
  inviter_name: z.string().meta({ zh: '邀请人的用户名', en: 'Username of the inviter', example: 'alice' }),
  created_time: z.number().int().meta(meanings.seconds),
  expires_time: z.number().int().meta(meanings.seconds),
  limits: z
    .array(
      z.object({
        name: z.enum(['weekly', 'grant']).meta({
          zh: 'weekly 为每周预算，grant 为到期前的预算',
          en: '`weekly` for a budget of each week, `grant` for one until a date',
        }),
        amount: z.number().int().meta({ zh: '额度单位', en: 'Quota units', example: 2_500_000 }),
        until: z.number().int().meta({
          zh: '结束时间，Unix 秒；每周预算为 0',
          en: 'Unix seconds of its end; 0 for weekly',
          example: 0,
        }),
      }),
    )
    .meta({ zh: '加入时设置的预算', en: 'Budgets that are set for the person who joins' }),
});
export type TeamInvitationData = z.output<typeof teamInvitationData>;

/** A new invitation with the code of its link. The code is shown only once. */
const newTeamInvitation = teamInvitationData.extend({ code: z.string().meta(meanings.invitationCode) });
export type NewTeamInvitation = z.output<typeof newTeamInvitation>;

/** An invitation, as the invited user sees it. */
const ownInvitationData = z.object({
  id: z.number().int().meta({ zh: '邀请的 ID', en: 'Id of the invitation' }),
  team_name: z.string().meta({ ...meanings.teamName, example: 'Research and more' }),
  role: z.number().int().meta(meanings.teamRole),
  inviter_name: z.string().meta({ zh: '邀请人的用户名', en: 'Username of the inviter', example: 'alice' }),
  expires_time: z.number().int().meta(meanings.seconds),
});
export type OwnInvitationData = z.output<typeof ownInvitationData>;

/** Maximum number of days that an invitation is valid. */
export const maxInvitationDays = 30;

const id = z.object({ id: teamId.meta(meanings.organisationId) });
/** Selects an invitation in the caller's list by its id, or any invitation by the code of its link. */
const which = z.object({
  invitation: teamId.optional().meta(meanings.invitation),
  code: z.string().trim().max(128).default('').meta(meanings.invitationCode),
});

/** Invitations into teams. */
export const teamInvitationApi = {
  list: route('GET', '/api/team/:id/invitation', {
    summary: { zh: '列出组织未处理的邀请', en: 'List the open invitations of an organisation' },
    example: { id: 1 },
    access: 'user',
    teamRole: teamRole.manager,
    input: id,
    data: z.array(teamInvitationData),
  }),
  /** Only owners can invite managers. If the site sends mails, an invited e-mail address gets the link. */
  create: route('POST', '/api/team/:id/invitation', {
    summary: { zh: '邀请成员，返回链接代码', en: 'Invite somebody; answers the code of the link' },
    audit: 'team.invite',
    errors: ['team_is_banned', 'team_rank_protected', 'invitation_limit_reached'],
    example: { id: 1, invitee: 'bob', days: 7 },
    access: 'user',
    teamRole: teamRole.manager,
    reauthenticate: 'with-factor',
    input: id.extend({
      invitee: z.string().trim().max(100).default('').meta(meanings.invitee),
      role: whole(teamRole.member, teamRole.manager).default(teamRole.member).meta(meanings.teamRole),
      days: whole(1, maxInvitationDays).default(7).meta(meanings.days),
    }),
    data: newTeamInvitation,
  }),
  withdraw: route('DELETE', '/api/team/:id/invitation/:invitation', {
    summary: { zh: '撤回邀请', en: 'Withdraw an invitation' },
    audit: 'team.invite',
    errors: ['invitation_not_found'],
    example: { id: 1, invitation: 1 },
    access: 'user',
    teamRole: teamRole.manager,
    input: id.extend({ invitation: teamId.meta(meanings.invitation) }),
    data: z.null(),
  }),
  /** Invitations for the caller. */
  ownList: route('GET', '/api/team/invitation', {
    summary: { zh: '列出收到的邀请', en: 'List the invitations that name oneself' },
    example: {},
    access: 'user',
    input: z.object({}),
    data: z.array(ownInvitationData),
  }),
  /** Returns the invitation of a link's code. */
  look: route('POST', '/api/team/invitation/look', {
    summary: { zh: '查看邀请链接', en: 'See what stands behind an invitation’s link' },
    errors: ['invitation_not_found'],
    example: { code: 'a code' },
    access: 'user',
    demo: true,
    input: z.object({ code: z.string().trim().max(128).meta(meanings.invitationCode) }),
    data: ownInvitationData,
  }),
  /** Returns the team's id. */
  accept: route('POST', '/api/team/invitation/accept', {
    summary: { zh: '接受邀请', en: 'Accept an invitation' },
    audit: 'team.join',
    errors: [
      'invitation_not_found',
      'already_team_member',
      'team_full',
      'team_is_banned',
      'team_not_found',
      'budget_limit_reached',
    ],
    example: { invitation: 1 },
    access: 'user',
    input: which,
    data: z.number().int(),
  }),
  decline: route('POST', '/api/team/invitation/decline', {
    summary: { zh: '拒绝邀请', en: 'Decline an invitation' },
    errors: ['invitation_not_found'],
    example: { invitation: 1 },
    access: 'user',
    input: which,
    data: z.null(),
  }),
};
