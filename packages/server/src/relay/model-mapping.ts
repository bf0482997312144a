import { type Channel, refuse } from './types/index.ts';

/**
 * The upstream name of a model: the channel's mapping, applied repeatedly (a → b, b → c). A name that maps to itself
 * ends the chain; a longer loop is a configuration error (docs/compatibility.md#steps-of-a-chat-call).
 */
export function applyModelMapping(mapping: Readonly<Record<string, string>>, model: string): string {
  const name = follow(mapping, model, refuseCircle);
  // Names are part of addresses, where these two would change the path.
  if (name === '.' || name === '..') throw refuse('invalid_model');
  return name;
}

/** The name whose price a call to `model` has on a channel. A mapping that runs in a circle changes no price: it serves no call. */
export const pricedModel = (
  {
    setting,
    modelMapping,
  }: Pick<Channel, 'modelMapping'> & { setting: Pick<Channel['setting'], 'priceAfterMapping'> },
  model: string,
): string => (setting.priceAfterMapping ? follow(modelMapping, model, () => model) : model);

const refuseCircle = (model: string): never => {
  throw refuse('model_mapping_contains_cycle', { model });
};

function follow(
  mapping: Readonly<Record<string, string>>,
  model: string,
  onCircle: (at: string) => string,
): string {
  if (!Object.hasOwn(mapping, model)) return model;
  let name = model;
  const seen = new Set([name]);
  while (Object.hasOwn(mapping, name)) {
    const next = mapping[name]!;
    if (next === name || next === '') return name;
    if (seen.has(next)) return onCircle(next);
    seen.add(next);
    name = next;
  }
  return name;
}
