import {
  teamRole,
  teamStatus,
  userStatus,
  type ManagedTeamData,
  type OwnInvitationData,
  type StatementEntry,
  type TeamData,
  type TeamInvitationData,
  type TeamMemberData,
  type TeamStatement,
  type TeamTokenData,
} from '@tollgate/contract';
import { people, sampleTime, tokenSample } from './samples.ts';

/** Without a limit, $0.50 used in all and this month. */
const unlimited = {
  limit_period: '',
  limit_quota: 0,
  limit_left: null,
  used_quota: 250_000,
  used_month: 250_000,
} as const;

/** An organisation with $20.00, of which the person is owner. */
export const teamSample = (given: Partial<TeamData> = {}): TeamData => ({
  id: 4,
  name: 'Research',
  group: 'default',
  status: teamStatus.enabled,
  owner_id: people.user.id,
  owner_name: people.user.username,
  created_time: sampleTime,
  member_count: 3,
  balance: 10_000_000,
  role: teamRole.owner,
  ...unlimited,
  ...given,
});

export const memberSample = (given: Partial<TeamMemberData> = {}): TeamMemberData => ({
  user_id: 8,
  username: 'bob',
  display_name: 'Bob',
  role: teamRole.member,
  status: userStatus.enabled,
  joined_time: sampleTime,
  ...unlimited,
  ...given,
});

export const teamInvitationSample = (given: Partial<TeamInvitationData> = {}): TeamInvitationData => ({
  id: 5,
  invitee: 'bob@example.com',
  role: teamRole.member,
  inviter_name: 'ada',
  created_time: sampleTime,
  expires_time: sampleTime + 604_800,
  limits: [],
  ...given,
});

export const ownInvitationSample = (given: Partial<OwnInvitationData> = {}): OwnInvitationData => ({
  id: 5,
  team_name: 'Research',
  role: teamRole.member,
  inviter_name: 'eve',
  expires_time: sampleTime + 604_800,
  ...given,
});

export const teamTokenSample = (given: Partial<TeamTokenData> = {}): TeamTokenData => ({
  ...tokenSample({ name: 'build', ...given }),
  username: people.user.username,
  ...given,
});

const entry = (given: Partial<StatementEntry>): StatementEntry => ({
  id: 1,
  at: sampleTime,
  kind: 'usage',
  amount: -250_000,
  user_id: 8,
  username: 'bob',
  request_id: 'req-9',
  note: '',
  ...given,
});

/** A month that began with $0, got $20.50 and spent $0.50 of it. */
export const statementSample = (given: Partial<TeamStatement> = {}): TeamStatement => ({
  month: '2025-10',
  opening: 0,
  closing: 10_000_000,
  sums: [
    { kind: 'team', amount: 10_250_000, count: 1 },
    { kind: 'usage', amount: -250_000, count: 2 },
  ],
  members: [{ user_id: 8, username: 'bob', amount: -250_000, count: 2 }],
  items: [
    entry({}),
    entry({ id: 2, kind: 'team', amount: 10_250_000, username: 'ada', user_id: 7, request_id: '' }),
  ],
  total: 2,
  page: 1,
  page_size: 10,
  ...given,
});

export const managedTeamSample = (given: Partial<ManagedTeamData> = {}): ManagedTeamData => ({
  id: 4,
  name: 'Research',
  group: 'default',
  regions: '',
  no_retention: false,
  status: teamStatus.enabled,
  owner_id: 7,
  owner_name: 'ada',
  owner_role: people.user.role,
  created_time: sampleTime,
  member_count: 3,
  balance: 10_000_000,
  held: 0,
  used_quota: 250_000,
  ...given,
});
