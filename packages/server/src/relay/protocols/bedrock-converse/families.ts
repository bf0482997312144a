/**
 * Additional fields of models behind Converse, by their ids (`us.amazon.nova-2-lite-v1:0`). A model of another family
 * refuses such fields, so unknown models get none.
 */

/** Amazon's Nova. */
export const isNova = (model: string): boolean => model.includes('amazon.nova');

/** Nova's second generation thinks, by an effort. */
export const isThinkingNova = (model: string): boolean => /amazon\.nova-([2-9]|\d\d)/.test(model);

/** OpenAI's open models, which accept an effort. */
export const isGptOss = (model: string): boolean => model.includes('openai.gpt-oss');

/** Claude, which also supports Converse, although the provider uses Messages for it. */
export const isClaude = (model: string): boolean => model.includes('claude');

/** True for models with cache points in the input. */
export const canCache = (model: string): boolean => isNova(model) || isClaude(model);

/** True for models that read `status` in the results of tools. */
export const readsStatus = (model: string): boolean => isNova(model) || isClaude(model);

/** Models without answers by a schema (Bedrock user guide, structured outputs). */
const schemaless = /amazon\.|meta\.|cohere\.|ai21\.|writer\.|deepseek\.r1|mistral\.(mistral|mixtral|pixtral)/;

/** True for models that can answer by a schema. */
export const takesSchema = (model: string): boolean => !schemaless.test(model);
