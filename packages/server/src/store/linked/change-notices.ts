import type { ProcessLink } from '../../lib/processes/process-link.ts';
import type { ApplyChange, ChangeNotifier } from '../drivers/change-notifier.ts';
import type { ChangeListener } from '../drivers/postgres-listener.ts';

/** Message: the other process wants to be notified of changes from now on. */
const follow = 'store:follow';

/** Message: apply the latest changes; answered when that is done. */
const changed = 'store:changed';

/** Makes the process at the other end of a link apply a change. */
export const applyThrough =
  (link: ProcessLink): ApplyChange =>
  () =>
    link.ask(changed);

/** Notifies the process at the other end of changes, once it follows them. The result ends that, when that process has ended. */
export function offerChanges(
  link: ProcessLink,
  notifier: ChangeNotifier,
  apply = applyThrough(link),
): () => void {
  let unfollow: (() => void) | undefined;
  link.offer(follow, () => {
    unfollow ??= notifier.listen(apply);
  });
  return () => unfollow?.();
}

/** Follows the changes that the process at the other end announces. */
export function followThrough(link: ProcessLink): (onChange: () => unknown) => ChangeListener {
  const listeners = new Set<ApplyChange>();
  link.offer(changed, async () => void (await Promise.all([...listeners].map((apply) => apply()))));
  return (onChange) => {
    const apply = async () => onChange();
    listeners.add(apply);
    link.ask(follow).then(apply, () => undefined);
    return { close: async () => void listeners.delete(apply) };
  };
}
