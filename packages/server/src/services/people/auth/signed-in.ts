import { AppError, type SignedIn, userStatus } from '@tollgate/contract';
import { type Db, users } from '../../../store/index.ts';

/** A user who signed in, and the cookie's value for the browser. */
export interface SignedInWith {
  user: SignedIn;
  session: string;
}

/** A user who may sign in. Throws `user_not_found`, `user_banned`. */
export async function findEnabled(db: Db, userId: number): Promise<users.UserRow> {
  const user = await users.find(db, userId);
  if (!user) throw new AppError('user_not_found');
  if (user.status !== userStatus.enabled) throw new AppError('user_banned');
  return user;
}

/** A user, as named in audit records. */
export const about = ({ id, username }: Pick<users.UserRow, 'id' | 'username'>) => ({
  target: { type: 'user', id, name: username } as const,
});

/** A signed-in user, for the console. */
export const signedInOf = ({ id, username, display_name, role, status, group }: SignedIn): SignedIn => ({
  id,
  username,
  display_name,
  role,
  status,
  group,
});
