import { createStore } from '../../lib/store.ts';

type ToastTone = 'good' | 'info' | 'bad';

export interface Toast {
  id: number;
  tone: ToastTone;
  message: string;
}

/** The visible toasts. */
export const shownToasts = createStore<readonly Toast[]>([]);

/** Duration of each kind, in ms: errors take longer to read. */
const stayMs: Record<ToastTone, number> = { good: 3000, info: 5000, bad: 8000 };
/** More toasts would hide the page. */
const maxShown = 4;
let lastId = 0;

export function dismissToast(id: number): void {
  shownToasts.set(shownToasts.get().filter((toast) => toast.id !== id));
}

function show(tone: ToastTone, message: string): void {
  // A repeated text would only flicker.
  const others = shownToasts.get().filter((toast) => toast.message !== message);
  const id = ++lastId;
  shownToasts.set([...others, { id, tone, message }].slice(-maxShown));
  setTimeout(() => dismissToast(id), stayMs[tone]);
}

/** Toasts: short messages in the corner of the window. */
export const toast = {
  good: (message: string) => show('good', message),
  info: (message: string) => show('info', message),
  bad: (message: string) => show('bad', message),
};

/**
 * Shows a message once a change of a list succeeds. Callbacks of `mutate` are dropped if the refetched list has removed
 * the row that called it. Failures are shown by the mutation.
 */
export async function toastWhenDone(work: Promise<unknown>, message: string): Promise<void> {
  try {
    await work;
  } catch {
    return;
  }
  toast.good(message);
}
