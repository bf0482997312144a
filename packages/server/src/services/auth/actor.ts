import type { Actor } from './types.ts';

/** The part of a user's row that decides what they may do. */
export const actorOf = (user: Actor): Actor => ({
  id: user.id,
  username: user.username,
  role: user.role,
  status: user.status,
  group: user.group,
});
