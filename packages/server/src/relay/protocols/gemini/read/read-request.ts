import type { ChatRequest, Extra, ReasoningRequest, ResponseFormat, Sampling } from '../../../types/index.ts';
import { isObject, type Json, type JsonObject, objectOf, textOf } from '../../../../lib/json.ts';
import { untranslatedFields } from '../../../conversation/index.ts';
import { camelCased, field } from '../fields.ts';
import { readContents, readSystem } from './read-contents.ts';
import { readSchema } from '../schema.ts';
import { readTools } from './read-tools.ts';

const own = 'gemini';

/** Reads a request into the neutral form; the model and the choice of a stream are from the path. */
export function readRequest(body: JsonObject): ChatRequest {
  const config = camelCased(objectOf(field(body, 'generationConfig')));
  return {
    model: textOf(body.model),
    messages: [...readSystem(field(body, 'systemInstruction')), ...readContents(body.contents)],
    ...readTools(body),
    parallelToolCalls: undefined,
    responseFormat: readFormat(config),
    reasoning: readReasoning(objectOf(config.thinkingConfig)),
    sampling: readSampling(config),
    maxOutputTokens: numberOf(config.maxOutputTokens),
    stop: textsIn(config.stopSequences),
    choices: numberOf(config.candidateCount) ?? 1,
    stream: body.stream === true,
    user: undefined,
    metadata: readLabels(body.labels),
    serviceTier: undefined,
    extra: readExtra(camelCased(body), config),
  };
}

const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;

const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

function readFormat(config: JsonObject): ResponseFormat | undefined {
  const mime = textOf(config.responseMimeType);
  const plain = config.responseJsonSchema;
  const schema = isObject(plain)
    ? plain
    : isObject(config.responseSchema)
      ? readSchema(config.responseSchema)
      : undefined;
  if (schema && mime !== 'text/plain')
    return { type: 'schema', name: textOf(schema.title) || 'answer', schema };
  if (mime === 'application/json') return { type: 'json' };
  return mime === 'text/plain' ? { type: 'text' } : undefined;
}

/** A budget of 0 turns thinking off; −1 leaves its size to the model. */
function readReasoning(thinking: JsonObject): ReasoningRequest | undefined {
  const budget = field(thinking, 'thinkingBudget');
  const level = textOf(field(thinking, 'thinkingLevel')).toLowerCase();
  const shown = field(thinking, 'includeThoughts');
  const reasoning: ReasoningRequest = {
    ...(level !== '' && level !== 'thinking_level_unspecified' && { effort: level }),
    ...(typeof budget === 'number' && budget > 0 && { budgetTokens: budget }),
    ...(typeof budget === 'number' && budget <= 0 && { enabled: budget !== 0 }),
    ...(shown === true && { summary: 'auto' }),
  };
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

const numbers = ['temperature', 'topP', 'topK', 'frequencyPenalty', 'presencePenalty', 'seed'] as const;

function readSampling(config: JsonObject): Sampling {
  const sampling: Sampling = {};
  for (const name of numbers) {
    const value = config[name];
    if (typeof value === 'number') sampling[name] = value;
  }
  if (config.responseLogprobs === true) sampling.logprobs = true;
  if (typeof config.logprobs === 'number') sampling.topLogprobs = config.logprobs;
  return sampling;
}

function readLabels(labels: Json | undefined): Record<string, string> | undefined {
  if (!isObject(labels)) return undefined;
  const texts = Object.entries(labels).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** No other protocol has answers of pictures or sound. */
function readExtra(body: JsonObject, config: JsonObject): Extra | undefined {
  const { fields: rest, refusedFields: inConfig = [] } = untranslatedFields('generationConfig', config);
  const modalities = textsIn(rest.responseModalities).map((each) => each.toUpperCase());
  const wanted = modalities.filter((each) => each !== 'TEXT');
  if (wanted.length === 0) delete rest.responseModalities;
  const { fields, ...refused } = untranslatedFields(own, body);
  if (Object.keys(rest).length > 0) fields.generationConfig = rest;
  if (Object.keys(fields).length === 0) return undefined;
  const essential = [
    ...inConfig.map((name) => `generationConfig.${name}`),
    ...wanted.map((each) => `an answer in the modality ${each}`),
  ];
  return { protocol: own, fields, ...refused, ...(essential.length > 0 && { essential }) };
}
