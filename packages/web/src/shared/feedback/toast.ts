import { createStore } from '../../lib/store.ts';

type ToastTone = 'good' | 'info' | 'bad';

export interface Toast {
  id: number;
  tone: ToastTone;
  message: string;
}

/** The results that are shown at this moment. */
export const shownToasts = createStore<readonly Toast[]>([]);

/** How long each kind stays, in ms: what went wrong is read, not glanced at. */
const stayMs: Record<ToastTone, number> = { good: 3000, info: 5000, bad: 8000 };
/** More would hide the page. */
const maxShown = 4;
let lastId = 0;

export function dismissToast(id: number): void {
  shownToasts.set(shownToasts.get().filter((toast) => toast.id !== id));
}

function show(tone: ToastTone, message: string): void {
  // The same words again would only flicker.
  const others = shownToasts.get().filter((toast) => toast.message !== message);
  const id = ++lastId;
  shownToasts.set([...others, { id, tone, message }].slice(-maxShown));
  setTimeout(() => dismissToast(id), stayMs[tone]);
}

/** Toasts: short results in the corner of the window. */
export const toast = {
  good: (message: string) => show('good', message),
  info: (message: string) => show('info', message),
  bad: (message: string) => show('bad', message),
};
