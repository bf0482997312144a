import {
  type Ability,
  defaultPrices,
  type Model,
  type ModelBook,
  type ModelFacts,
  type TokenPrices,
} from '@tollgate/contract';
import { compare, type Lists } from './compare.ts';
import { fieldsOf, numberOf } from './listing.ts';
import { isMaker, vendorOf } from './vendors.ts';

/** Capabilities by LiteLLM's field names. */
const abilityFields: Readonly<Record<string, Ability>> = {
  supports_vision: 'vision',
  supports_function_calling: 'tools',
  supports_reasoning: 'reasoning',
  supports_response_schema: 'structured',
  supports_audio_input: 'audio_input',
  supports_audio_output: 'audio_output',
  supports_pdf_input: 'documents',
  supports_video_input: 'video_input',
  supports_web_search: 'search',
  supports_prompt_caching: 'caching',
};

/** Capabilities by LiteLLM's mode of a model. */
const modeAbilities: Readonly<Record<string, Ability>> = {
  image_generation: 'image_output',
  video_generation: 'video_output',
  audio_transcription: 'audio_input',
  audio_speech: 'audio_output',
  embedding: 'embeddings',
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Limits and abilities of a model in LiteLLM's list; undefined for entries of vendors who make no models. */
function factsIn(entry: Readonly<Record<string, unknown>>): ModelFacts | undefined {
  const vendor = vendorOf(textOf(entry['litellm_provider']));
  if (!isMaker(vendor)) return undefined;
  const [input, output] = [numberOf(entry['max_input_tokens']), numberOf(entry['max_output_tokens'])];
  const byMode = modeAbilities[textOf(entry['mode'])];
  const abilities = Object.entries(abilityFields)
    .filter(([field]) => entry[field] === true)
    .map(([, ability]) => ability);
  return {
    vendor,
    ...(input && { input }),
    ...(output && output !== input && { output }),
    abilities: [...new Set([...abilities, ...(byMode ? [byMode] : [])])],
  };
}

const classes = ['output', 'cacheRead', 'imageInput', 'imageOutput', 'audioInput', 'audioOutput'] as const;

/**
 * models.json with the present public lists: list prices in dollars that most lists agree on, and limits and abilities
 * of models that are already in it. Prices in yuan, defaults, terms, announcements and retirement dates are not in the
 * lists and stay. The same lists produce the same file.
 *
 * @param liteLlm - LiteLLM's list; undefined leaves limits and abilities unchanged
 */
export function refreshModels(
  book: ModelBook,
  lists: Lists,
  liteLlm: unknown,
  taken: ModelBook['factsTaken'],
): { book: ModelBook; changed: string[]; undecided: string[] } {
  const here = { tables: defaultPrices, served: [], quotaPerUnit: 500_000 };
  const rows = compare(here, lists).rows.filter(({ state }) => state !== 'same');
  const offers = new Map(rows.map((row) => [row.model, row]));
  const undecided: string[] = [];
  const models = Object.entries(book.models).map(([name, about]): [string, Model] => {
    const offer = offers.get(name);
    const dollars = offer?.offers[0]?.dollars;
    const isOurs = about.price && about.price.currency === undefined;
    if (offer && !(offer.decided && isOurs)) undecided.push(name);
    const price: TokenPrices | undefined =
      isOurs && offer?.decided && dollars?.input !== undefined
        ? {
            input: dollars.input,
            ...Object.fromEntries(classes.flatMap((each) => (dollars[each] ? [[each, dollars[each]]] : []))),
          }
        : undefined;
    const entry = fieldsOf(fieldsOf(liteLlm)?.[name]);
    const facts = about.facts && entry && factsIn(entry);
    const isSameVendor = facts?.vendor === about.facts?.vendor;
    return [
      name,
      {
        ...about,
        ...(price && about.price && { price: { ...about.price, ...price } }),
        ...(facts && isSameVendor && { facts: { ...about.facts, ...facts } }),
      },
    ];
  });
  const changed = models
    .filter(([name, about]) => JSON.stringify(about) !== JSON.stringify(book.models[name]))
    .map(([name]) => name);
  const factsTaken = liteLlm === undefined ? book.factsTaken : taken;
  return { book: { ...book, factsTaken, models: Object.fromEntries(models) }, changed, undecided };
}
