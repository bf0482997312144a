import type { ReactNode } from 'react';
import { currentUser } from '../../lib/session.ts';
import { openDialog } from './dialog.ts';

interface LazyDialog {
  title: string;
  /** Width in px, if it is not the default. */
  size?: number;
  /** Loads and creates the body; `close` closes the dialog. */
  body: (close: () => void) => Promise<ReactNode>;
}

let isComing = false;

/**
 * Opens a dialog that loads on first use. A second call during the load opens nothing. If the session ends during the
 * load, nothing opens.
 */
export async function openLazyDialog({ title, size, body }: LazyDialog): Promise<void> {
  if (isComing) return;
  isComing = true;
  let close = () => {};
  const person = currentUser()?.id;
  try {
    const made = await body(() => close());
    if (currentUser()?.id !== person) return;
    close = openDialog({ title, ...(size !== undefined && { size }), body: made });
  } finally {
    isComing = false;
  }
}
