import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';

/** Opens a text that is too long for its cell. */
export const openText = (title: string, value: string): Promise<void> =>
  openLazyDialog({
    title,
    body: async () => {
      const { WholeText } = await import('./whole-text.tsx');
      return <WholeText value={value} />;
    },
  });

/** Opens all fields of a task as in the call's answer. */
export const openRecord = (title: string, record: unknown): Promise<void> =>
  openLazyDialog({
    title,
    size: 680,
    body: async () => {
      const { Record } = await import('./whole-text.tsx');
      return <Record value={record} />;
    },
  });
