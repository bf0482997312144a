import type { ReactNode } from 'react';
import { openDialog } from './dialog.ts';

interface LazyDialog {
  title: string;
  /** Width in px; what is wider than usual says so. */
  size?: number;
  /** Fetches the code of the body and makes it; `close` closes the dialog. */
  body: (close: () => void) => Promise<ReactNode>;
}

let isComing = false;

/** Opens a dialog whose code comes with its first use. Who asks twice before it is there gets one. */
export async function openLazyDialog({ title, size, body }: LazyDialog): Promise<void> {
  if (isComing) return;
  isComing = true;
  let close = () => {};
  try {
    const made = await body(() => close());
    close = openDialog({ title, ...(size !== undefined && { size }), body: made });
  } finally {
    isComing = false;
  }
}
