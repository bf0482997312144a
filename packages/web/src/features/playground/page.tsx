import { useCurrentUser } from '../../lib/session.ts';
import { Playground } from './playground.tsx';

/** The playground of the person logged in; nobody else gets here. */
export function Page() {
  const user = useCurrentUser();
  return user && <Playground key={user.id} user={user} />;
}
