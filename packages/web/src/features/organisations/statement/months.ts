/** Months offered at most: three years back. */
const maxMonths = 36;

/** The months of an organisation from this one back to its first, as `2026-11`, in UTC as statements are. */
export function monthsSince(created: number, now: number): string[] {
  const first = new Date(created * 1000);
  const last = new Date(now * 1000);
  const indexOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
  const count = Math.min(maxMonths, Math.max(1, indexOf(last) - indexOf(first) + 1));
  return Array.from({ length: count }, (_, back) => {
    const index = indexOf(last) - back;
    return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
  });
}

/** November 2026, in a locale. */
export const monthName = (month: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
