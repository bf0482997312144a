import type { ProcessLink } from '../../lib/processes/process-link.ts';
import type { ChangeListener } from './postgres-listener.ts';

/** Longest wait for others to apply a change, in ms, so that a frozen process does not block the console. */
const maxWaitMs = 500;

/** Applies a change in one process; the process that made the change waits for it. */
type ApplyChange = () => Promise<unknown>;

/** Notifies other processes of changes after the commit that marked them (`changeMarks.mark`). */
export class ChangeNotifier {
  private readonly listeners = new Set<ApplyChange>();

  listen(apply: ApplyChange): () => void {
    this.listeners.add(apply);
    return () => void this.listeners.delete(apply);
  }

  /** Resolves when all listeners have applied the change, or after half a second. */
  async notifyAll(): Promise<void> {
    const applied = [...this.listeners].map((apply) => apply().catch(() => undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxWaitMs);
    });
    await Promise.race([Promise.all(applied), late]);
    clearTimeout(timer);
  }
}

/** Message: the other process requests notifications of changes. */
const follow = 'store:follow';

/** Message: apply the latest changes; answered when that is done. */
const changed = 'store:changed';

/** Notifies the process at the other end of changes, once it follows them. The result ends that, when that process has ended. */
export function offerChanges(link: ProcessLink, notifier: ChangeNotifier): () => void {
  let unfollow: (() => void) | undefined;
  link.offer(follow, () => {
    unfollow ??= notifier.listen(() => link.ask(changed));
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
