/**
 * Additional fields of models behind Converse, by their ids (`us.amazon.nova-2-lite-v1:0`). A model of another family
 * refuses such fields, so unknown models get none.
 */

/** Amazon's Nova. */
export const isNova = (model: string): boolean => model.includes('amazon.nova');

/** Nova's second generation thinks, as much as an effort says. */
export const isThinkingNova = (model: string): boolean => /amazon\.nova-([2-9]|\d\d)/.test(model);

/** OpenAI's open models, which take an effort. */
export const isGptOss = (model: string): boolean => model.includes('openai.gpt-oss');

/** Claude, which speaks Converse too, although the provider sends it Messages. */
export const isClaude = (model: string): boolean => model.includes('claude');

/** Knows points up to which the input is cached. */
export const canCache = (model: string): boolean => isNova(model) || isClaude(model);

/** Reads `status` in the results of tools. */
export const readsStatus = (model: string): boolean => isNova(model) || isClaude(model);

/** Models that cannot be held to a schema (Bedrock user guide, structured outputs). */
const schemaless = /amazon\.|meta\.|cohere\.|ai21\.|writer\.|deepseek\.r1|mistral\.(mistral|mixtral|pixtral)/;

/** Can be held to a schema for its answer. */
export const takesSchema = (model: string): boolean => !schemaless.test(model);
