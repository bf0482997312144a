/** Goes to the search field of the page, the first in its order; what is in it is selected. */
export function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main input[aria-keyshortcuts="/"]');
  field?.focus();
  field?.select();
}
