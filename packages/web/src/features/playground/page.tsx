import { useCurrentUser } from '../../lib/session.ts';
import { Playground } from './playground.tsx';

/** The playground; only users who are logged in get here. */
export function Page() {
  const user = useCurrentUser();
  return user && <Playground key={user.id} user={user} />;
}
