const key = 'sign-in-way-back';

/** Stores, for this tab, the path to open after a sign-in through another site; '' removes it. */
export function saveReturnPath(next: string): void {
  try {
    if (next === '') window.sessionStorage.removeItem(key);
    else window.sessionStorage.setItem(key, next);
  } catch {
    // Without storage the sign-in ends on the default page.
  }
}

/** The stored path; '' for none. */
export function loadReturnPath(): string {
  try {
    return window.sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
