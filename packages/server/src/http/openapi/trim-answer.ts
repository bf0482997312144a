/** Enough of a list to show what it is. */
const shownItems = 2;
/** An object of so many members is a list by names. */
const manyMembers = 60;

/** Bytes within an answer are shown by their beginning. */
const longData = 60;

/** An answer as the reference shows it: long lists cut short, addresses of the test replaced by examples. */
export function trimAnswer(value: unknown, addresses: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.slice(0, shownItems).map((each) => trimAnswer(each, addresses));
  if (typeof value === 'string') {
    if (value.length > longData && value.startsWith('data:')) return `${value.slice(0, longData)}…`;
    return Object.entries(addresses).reduce((text, [from, to]) => text.replaceAll(from, to), value);
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const isList = members.length > manyMembers || members.every(([name]) => /^\d+$/.test(name));
  return Object.fromEntries(
    members
      .slice(0, isList ? shownItems : members.length)
      .map(([name, each]) => [name, trimAnswer(each, addresses)]),
  );
}
