import type { ReactNode } from 'react';
import { createStore } from '../../lib/store.ts';

/** A dialog that code opens, rather than a page holding it. */
export interface DialogSpec {
  id: number;
  title: string;
  body: ReactNode;
  /** Width in px; what is wider than usual says so. */
  size?: number;
  /** Called however it ends; closing by code comes here as well. */
  onClose: () => void;
}

/** The dialogs that are open, the last on top. */
export const openDialogs = createStore<readonly DialogSpec[]>([]);
let lastId = 0;

/** Opens a dialog above everything and answers how to close it. */
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
