import type { ProcessLink } from '../../lib/processes/process-link.ts';
import type { ChangeNews, HearChange } from '../drivers/change-news.ts';
import type { ChangeListener } from '../drivers/postgres-listener.ts';

/** Another process asks to be told of changes from now on. */
const follow = 'store:follow';

/** What is asked of those who follow: to bring into force what has just changed; answered when it is. */
const changed = 'store:changed';

/** How the process at the other end of a link hears of a change. */
export const hearThrough =
  (link: ProcessLink): HearChange =>
  () =>
    link.ask(changed);

/** Tells the process at the other end of what changes, once it follows. Answers what ends that, when it is gone. */
export function offerNews(link: ProcessLink, news: ChangeNews, hear = hearThrough(link)): () => void {
  let unfollow: (() => void) | undefined;
  link.offer(follow, () => {
    unfollow ??= news.listen(hear);
  });
  return () => unfollow?.();
}

/** What follows the changes that the process at the other end tells of. */
export function listenThrough(link: ProcessLink): (onChange: () => unknown) => ChangeListener {
  const hearers = new Set<HearChange>();
  link.offer(changed, async () => void (await Promise.all([...hearers].map((hear) => hear()))));
  return (onChange) => {
    const hear = async () => onChange();
    hearers.add(hear);
    link.ask(follow).then(hear, () => undefined);
    return { close: async () => void hearers.delete(hear) };
  };
}
