/**
 * Option global.thinking_model_blacklist: models whose name ends with `-thinking` by itself. Neither the name that the
 * caller says nor the one that the channel maps it to is cut where it is listed.
 */
export function keepsSuffix(
  settings: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): boolean {
  const listed = settings['global.thinking_model_blacklist'];
  return Array.isArray(listed) && names.some((name) => listed.includes(name));
}
