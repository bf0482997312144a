const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * Where a recorded answer has other members, or members of another kind, than a fresh one; none when it does not. What
 * is null or empty in one of them tells nothing: that a list has no item yet is a matter of the moment.
 */
export function staleMembers(recorded: unknown, fresh: unknown, place = ''): string[] {
  if (isEmpty(recorded) || isEmpty(fresh)) return [];
  if (Array.isArray(recorded) && Array.isArray(fresh))
    return staleMembers(recorded[0], fresh[0], `${place}[0]`);
  if (!isObject(recorded) || !isObject(fresh))
    return typeof recorded === typeof fresh && Array.isArray(recorded) === Array.isArray(fresh)
      ? []
      : [place];
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(fresh)])];
  return names.flatMap((name) => {
    const inner = `${place}.${name}`;
    const inBoth = Object.hasOwn(recorded, name) && Object.hasOwn(fresh, name);
    return inBoth ? staleMembers(recorded[name], fresh[name], inner) : [inner];
  });
}
