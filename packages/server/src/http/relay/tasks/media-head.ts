type Answered = Readonly<Record<string, string | string[] | undefined>>;

/** The text of a header; '' if it is absent. */
export const oneOf = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

/** Headers that describe the part of a range. */
const passed = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const;

/** A vendor's file is displayed and never executed. */
export const shownOnly = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

/**
 * The headers for a vendor's file, as a whole or the requested range; undefined for an answer that is not a file.
 * `own` are the headers that do not come from the vendor.
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
