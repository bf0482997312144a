import type { ReactNode } from 'react';
import { createStore } from '../../lib/store.ts';

/** A dialog that is opened by code instead of being part of a page. */
export interface DialogSpec {
  id: number;
  title: string;
  body: ReactNode;
  /** Width in px, if it is not the default. */
  size?: number;
  /** Called once it is closed, by the user or by code. */
  onClose: () => void;
}

/** The dialogs that are open, the last on top. */
export const openDialogs = createStore<readonly DialogSpec[]>([]);
let lastId = 0;

/** Opens a dialog above everything; the returned function closes it. */
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

/** Closes all dialogs that code opened, as if their users had: what was asked is not agreed to. */
export function closeDialogs(): void {
  for (const { onClose } of openDialogs.get().toReversed()) onClose();
}
