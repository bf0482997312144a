/** Frequency of each name, as lines of text for a test's notice. */
export function countLines(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, count }) => `${String(count).padStart(5)}  ${name}`)
    .join('\n');
}
