const key = 'sign-in-way-back';

/** Keeps, in this tab, where somebody wanted to be who is about to leave for another site to sign in; '' for nowhere. */
export function keepWayBack(next: string): void {
  try {
    if (next === '') window.sessionStorage.removeItem(key);
    else window.sessionStorage.setItem(key, next);
  } catch {
    // Where nothing can be kept the person lands on the usual page.
  }
}

/** Where that was; '' for nowhere. */
export function wayBack(): string {
  try {
    return window.sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
