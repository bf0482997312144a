/** A name without the day or word by which vendors tell the states of one model apart: `gpt-4o-2024-08-06`, `…-latest`. */
const familyOf = (name: string): string =>
  name.toLowerCase().replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, '');

/**
 * Under which name each name of two sides is compared. Who asks for `gpt-4o` is told of `gpt-4o-2024-08-06`: where both
 * sides know a family by other names than each other, the family is compared as one.
 */
export function comparedNames(ours: Iterable<string>, theirs: Iterable<string>): (name: string) => string {
  const mine = byFamily(ours);
  const others = byFamily(theirs);
  const folded = new Set(
    [...mine.keys()].filter((family) => {
      const there = others.get(family);
      const here = mine.get(family);
      return there && here && (there.size !== here.size || [...here].some((name) => !there.has(name)));
    }),
  );
  return (name) => {
    const family = familyOf(name);
    return folded.has(family) ? family : name.toLowerCase();
  };
}

function byFamily(names: Iterable<string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const name of names) {
    const family = familyOf(name);
    found.set(family, (found.get(family) ?? new Set()).add(name.toLowerCase()));
  }
  return found;
}
