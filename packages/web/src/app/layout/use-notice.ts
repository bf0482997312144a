import { statusApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { stored } from '../../lib/storage.ts';

/** Refetched when `mark` changes. */
export const noticeQuery = (mark: string) =>
  queryOptions({
    queryKey: ['notice', mark],
    queryFn: ({ signal }) => call(statusApi.notice, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A bare external address fills the window with its page; in an announcement it is a link. */
export const asText = (source: string): string =>
  /^https:\/\/\S+$/.test(source.trim()) ? `<${source.trim()}>` : source;

/** Limits the storage on a device that many users share. */
const maxPeople = 20;

/**
 * Returns whether there is an announcement, whether this person has read it on this device, and a function that marks it
 * as read.
 */
export function useNotice(): { mark: string; isRead: boolean; setRead: () => void } {
  const mark = useStatus()?.notice_mark ?? '';
  const id = String(useCurrentUser()?.id ?? 0);
  const read = stored.noticesRead.use();
  return {
    mark,
    isRead: read[id] === mark,
    setRead() {
      const others = Object.entries(read).filter(([each]) => each !== id);
      stored.noticesRead.set(Object.fromEntries([...others.slice(1 - maxPeople), [id, mark]]));
    },
  };
}
