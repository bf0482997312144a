/** Roles as stored (wire-facts 2.1): a higher number may do all that a lower one may. */
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

/** User status (specification 1, section 4). */
export const userStatus = { enabled: 1, disabled: 2 } as const;

/** Token status (specification 2, section 4). */
export const tokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** Channel status: 2 is by hand, 3 by Tollgate itself with a reason (specification 2, section 4). */
export const channelStatus = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Redemption code status (specification 2, section 4). */
export const redemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;

/** Log types (specification 2, section 4). */
export const logType = { unknown: 0, topup: 1, consume: 2, manage: 3, system: 4, error: 5 } as const;
export type LogType = (typeof logType)[keyof typeof logType];
