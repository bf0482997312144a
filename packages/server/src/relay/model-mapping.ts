import { refuse } from './model/relay-error.ts';

/**
 * The upstream name of a model: the channel's mapping, followed through its chains (a → b, b → c). A name that maps to
 * itself ends the chain; a longer loop is a mistake of the set-up (wire-facts 5.3).
 */
export function applyModelMapping(mapping: Readonly<Record<string, string>>, model: string): string {
  const name = follow(mapping, model);
  // Names stand in addresses, where these two would lead to another place of the vendor's.
  if (name === '.' || name === '..') throw refuse(400, 'invalid_model', 'this is not the name of a model');
  return name;
}

function follow(mapping: Readonly<Record<string, string>>, model: string): string {
  if (!Object.hasOwn(mapping, model)) return model;
  let name = model;
  const seen = new Set([name]);
  while (Object.hasOwn(mapping, name)) {
    const next = mapping[name]!;
    if (next === name || next === '') return name;
    if (seen.has(next)) {
      throw refuse(
        500,
        'model_mapping_contains_cycle',
        `the model mapping of this channel runs in a circle at ${next}`,
      );
    }
    seen.add(next);
    name = next;
  }
  return name;
}
