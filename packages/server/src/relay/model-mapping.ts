import { refuse } from './types/index.ts';

/**
 * The upstream name of a model: the channel's mapping, applied repeatedly (a → b, b → c). A name that maps to itself
 * ends the chain; a longer loop is a configuration error (docs/compatibility.md#steps-of-a-chat-call).
 */
export function applyModelMapping(mapping: Readonly<Record<string, string>>, model: string): string {
  const name = follow(mapping, model);
  // Names are part of addresses, where these two would change the path.
  if (name === '.' || name === '..') throw refuse('invalid_model');
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
      throw refuse('model_mapping_contains_cycle', { model: next });
    }
    seen.add(next);
    name = next;
  }
  return name;
}
