import { accessRole, type Access } from '@tollgate/contract';
import { forgetPersonal, stored, type StoredUser } from './storage.ts';

/** Reason of a session's end: the user logged out, the server no longer has it, or another tab found either. */
export type EndReason = 'logout' | 'expired' | 'elsewhere';

const endListeners = new Set<(reason: EndReason) => void>();

/** The logged-in user of this browser, or null. The server decides every right by itself. */
export const currentUser = (): StoredUser | null => stored.user.get();
export const useCurrentUser = (): StoredUser | null => stored.user.use();

/** Stores the logged-in user. */
export const beginSession = (user: StoredUser): void => stored.user.set(user);

/** Clears the session and notifies listeners with the reason. Does nothing without a session. */
export function endSession(reason: EndReason): void {
  if (stored.user.get() === null) return;
  stored.user.set(undefined);
  endListeners.forEach((listener) => listener(reason));
  if (reason === 'logout') forgetPersonal();
}

// Without this, a tab without a user would continue as a guest, and no refusal would end the old session.
window.addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key !== stored.user.key || oldValue === null || newValue !== null) return;
  endListeners.forEach((listener) => listener('elsewhere'));
});

/** Calls `listener` whenever a session ends, in this tab or another. */
export function onSessionEnd(listener: (reason: EndReason) => void): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

/** Whether a user has the access that `access` requires. */
export const mayAccess = (user: StoredUser | null, access: Access): boolean =>
  (user?.role ?? 0) >= accessRole[access];
