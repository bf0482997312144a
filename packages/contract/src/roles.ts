/** Stored values of roles (docs/compatibility.md#console-guard). A higher role has all rights of the lower ones. */
export const role = { guest: 0, common: 1, admin: 10, root: 100 } as const;
export type Role = (typeof role)[keyof typeof role];

/** Access levels of a route: 'public' for anyone, 'try-user' for anyone but with the session read, then the roles. */
export type Access = 'public' | 'try-user' | 'user' | 'admin' | 'root';

/** Minimum role for each access level. */
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

/** Channel status: 2 is set by hand, 3 by Tollgate itself with a reason. */
export const channelStatus = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Provider number of the sandbox, which the gateway simulates itself. */
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

/** Stored values of team roles. A higher role has all rights of the lower ones. */
export const teamRole = { member: 1, manager: 2, owner: 3 } as const;
export type TeamRole = (typeof teamRole)[keyof typeof teamRole];

/** Team status. */
export const teamStatus = { enabled: 1, banned: 2 } as const;

/** Period of a member's limit: none, a total amount, or an amount per calendar month (UTC). */
export const limitPeriods = ['', 'total', 'month'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** Maximum length of a team's name, in characters. */
export const maxTeamName = 40;
