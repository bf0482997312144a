import type { Actor } from './types.ts';

/** The fields of a user that decide on their rights. */
export const actorOf = (user: Actor): Actor => ({
  id: user.id,
  username: user.username,
  role: user.role,
  status: user.status,
  group: user.group,
});
