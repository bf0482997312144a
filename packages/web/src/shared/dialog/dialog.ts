import type { ReactNode } from 'react';
import { createStore } from '../../lib/store.ts';

/** A dialog that code opens, outside of a page. */
export interface DialogSpec {
  id: number;
  title: string;
  body: ReactNode;
  /** Width in px, if it is not the default. */
  size?: number;
  /** Called after the user or code closed it. */
  onClose: () => void;
}

/** The open dialogs, the top one last. */
export const openDialogs = createStore<readonly DialogSpec[]>([]);
let lastId = 0;

/** Opens a dialog on top; the returned function closes it. */
export function openDialog(
  spec: Pick<DialogSpec, 'title' | 'body' | 'size'> & { onClose?: () => void },
): () => void {
  const id = ++lastId;
  const onClose = () => {
    if (!openDialogs.get().some((dialog) => dialog.id === id)) return;
    openDialogs.set(openDialogs.get().filter((dialog) => dialog.id !== id));
    spec.onClose?.();
  };
  openDialogs.set([...openDialogs.get(), { ...spec, id, onClose }]);
  return onClose;
}

/** Closes all dialogs that code opened, like their users would: questions count as not agreed to. */
export function closeDialogs(): void {
  for (const { onClose } of openDialogs.get().toReversed()) onClose();
}
