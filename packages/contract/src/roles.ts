/** Roles as stored (docs/compatibility.md#console-guard): a higher number may do all that a lower one may. */
export const role = { guest: 0, common: 1, admin: 10, root: 100 } as const;
export type Role = (typeof role)[keyof typeof role];

/** Who may call a route: 'public' anyone, 'try-user' anyone but a session is read, then the roles. */
export type Access = 'public' | 'try-user' | 'user' | 'admin' | 'root';

/** The lowest role each access level admits. */
export const accessRole: Record<Access, Role> = {
  public: role.guest,
  'try-user': role.guest,
  user: role.common,
  admin: role.admin,
  root: role.root,
};

/** User status. */
export const userStatus = { enabled: 1, disabled: 2 } as const;

/** Token status. */
export const tokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** Channel status: 2 is by hand, 3 by Tollgate itself with a reason. */
export const channelStatus = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** The provider number of the sandbox, which the gateway plays itself. */
export const sandboxChannelType = 9001;

/** Redemption code status. */
export const redemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;

/** Log types. */
export const logType = {
  unknown: 0,
  topup: 1,
  consume: 2,
  manage: 3,
  system: 4,
  error: 5,
  refund: 6,
  login: 7,
} as const;
export type LogType = (typeof logType)[keyof typeof logType];

/** Roles in a team, as stored: a higher number may do all that a lower one may. */
export const teamRole = { member: 1, manager: 2, owner: 3 } as const;
export type TeamRole = (typeof teamRole)[keyof typeof teamRole];

/** Team status. */
export const teamStatus = { enabled: 1, banned: 2 } as const;

/** Kind of a member's limit: none, a total amount, or an amount per calendar month (UTC). */
export const limitPeriods = ['', 'total', 'month'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** Characters of a team's name at most. */
export const maxTeamName = 40;
