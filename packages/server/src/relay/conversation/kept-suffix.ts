/**
 * Option global.thinking_model_blacklist: models with a real name ending in `-thinking`. A listed name is never cut,
 * neither the caller's nor the one that the channel maps it to.
 */
export function keepsSuffix(
  settings: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): boolean {
  const listed = settings['global.thinking_model_blacklist'];
  return Array.isArray(listed) && names.some((name) => listed.includes(name));
}
