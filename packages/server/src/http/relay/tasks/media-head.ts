type Answered = Readonly<Record<string, string | string[] | undefined>>;

/** A header's text; '' where it is absent. */
export const oneOf = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

/** Headers that say which part of how much it is. */
const passed = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const;

/** A vendor's file is shown and never run. */
export const shownOnly = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

/**
 * The head under which a vendor's file is passed on, as a whole or the part that was asked for; undefined for an answer
 * that is no file. `own` are the headers that do not come from the vendor.
 */
export function mediaHead(
  status: number,
  answered: Answered,
  own: Record<string, string>,
): { status: number; headers: Record<string, string> } | undefined {
  if (![200, 206, 416].includes(status)) return undefined;
  const kept = passed.flatMap((name) => {
    const value = oneOf(answered[name]);
    return value === '' ? [] : [[name, value] as const];
  });
  return { status, headers: { ...Object.fromEntries(kept), ...shownOnly, ...own } };
}
